import CommandParts
import FoundationEssentials
import Jobs
import Linux
import ObjectStorage
import Settings
import Spool

/// Says what becomes of a file by its name alone: without a daemon, and without a file.
struct NameCheck {
  private let configuration: Configuration
  private let host: String
  private let now: Timestamp
  private let id: JobID

  init(_ configuration: Configuration, host: String = ProcessInfo.processInfo.hostName, now: Timestamp = .now) {
    self.configuration = configuration
    self.host = host
    self.now = now
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    id = JobID.mint(at: now, random: &random)
  }

  /// Returns a finding for each spool, in the order of the configuration.
  func findings(_ name: [UInt8]) -> [(spool: String, finding: ProbeFinding)] {
    let name = FileName(bytes: name)
    return configuration.spools.map { ($0.name, finding(name, $0)) }
  }

  private func finding(_ name: FileName, _ spool: SpoolOptions) -> ProbeFinding {
    let shown = name.shown
    if let reason = refusal(name, spool) { return ProbeFinding(.advice, "\(shown) \(reason)") }
    if let pattern = spool.sidecar, pattern.fits(name) {
      return ProbeFinding(.fits, "\(shown) is a sidecar, and has no object of its own")
    }
    var parts: [String: String] = [:]
    var question = ""
    if let match = spool.match {
      let expression = "'\(DisplayText.escape(match.text))'"
      switch NameMatcher(match).match(name) {
      case .parts(let found): parts = found
      case .unmatched:
        switch spool.unmatched {
        case .ignore: return ProbeFinding(.advice, "\(shown) stays in the spool: it does not match \(expression)")
        case .ask: question = "; a person is asked first, because it does not match \(expression)"
        case .send: question = "; it does not match \(expression), so it has no parts"
        }
      case .undecided: question = "; a person is asked first, because \(expression) takes too long for it"
      }
    }
    let facts = KeyFacts(
      spool: spool.name, id: id, name: name.last, job: JobNumber(rawValue: 1), host: host, path: name.path, time: now,
      offset: configuration.daemon.localTime.offset(at: now.wholeSeconds), captures: parts)
    let named = parts.sorted { $0.key < $1.key }
      .map { "\(DisplayText.escape($0.key)) = \(DisplayText.escape($0.value))" }.joined(separator: ", ")
    do {
      let key = try KeyTemplate(spool.key, captures: spool.captures).render(facts) + (spool.group == nil ? "" : "/")
      let words = "\(shown) → \(DisplayText.escape(key))" + (named.isEmpty ? "" : " (\(named))") + question
      return ProbeFinding(question.isEmpty ? .fits : .advice, words)
    } catch {
      let why = (error as? Failure)?.words ?? "\(error)"
      return ProbeFinding(.advice, "\(shown) has no key\(named.isEmpty ? "" : " (\(named))"): \(why)")
    }
  }

  /// The reason why a file of this name is not taken, in words to follow the name; nil if it is.
  private func refusal(_ name: FileName, _ spool: SpoolOptions) -> String? {
    let names = name.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    if names.contains([]) { return "is no name of a file below a spool" }
    if names.contains(where: { $0.first == UInt8(ascii: ".") }) { return "begins with a dot, and is not taken" }
    if names.count > 1 {
      if spool.group != nil { return "is in a directory, which is taken as a whole: give the name of that" }
      if !spool.recursive { return "is in a directory, and the spool is not recursive" }
    }
    for part in names {
      guard let pattern = spool.ignore.first(where: { ShellPattern($0).matches(part) }) else { continue }
      return "is ignored: \(FileName(bytes: part).shown) matches '\(DisplayText.escape(pattern))'"
    }
    let last = name.last.bytes
    if spool.group == nil, !spool.only.isEmpty, spool.sidecar?.fits(name) != true,
      !spool.only.contains(where: { ShellPattern($0).matches(last) })
    {
      return "is not taken: only \(spool.only.map { DisplayText.escape($0) }.joined(separator: ", "))"
    }
    return nil
  }
}
