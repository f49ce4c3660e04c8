import ChildProcesses
import Foundation
import LoopbackPeer

/// An answer that no honest server gives, and what a job that meets it has to come to by the contract's table of failures.
struct HostileAnswer: Sendable {
  enum Side: String, CaseIterable, Sendable {
    case storage, backend
  }

  /// How a job ends that meets it. No delay is given, so that what is tried again asks at once.
  struct Outcome: Sendable {
    var state: String
    var kind: String?
    var status: Int?

    static func asks(_ kind: String, _ status: Int? = nil) -> Outcome {
      Outcome(state: "awaiting-confirmation", kind: kind, status: status)
    }
    static let registered = Outcome(state: "registered")
    static let aborted = Outcome(state: "aborted", kind: "unavailable", status: 503)
    static let throttled = Outcome(state: "deferred", kind: "throttled", status: 429)
    static let waitsForKey = Outcome(state: "awaiting-credentials", kind: "credentials", status: 401)
  }

  let name: String
  /// Whether only a time-out ends it, so that it is given a short one. No other is: a busy machine is slow by itself.
  let needsTimeout: Bool
  /// By the side that gives it; one that is missing does not.
  let outcomes: [Side: Outcome]
  /// `elsewhere` is the address of a listener that nobody may speak to.
  let reply: @Sendable (_ request: LoopbackPeer.Request, _ elsewhere: String) -> LoopbackPeer.Reply

  /// The same bytes to every request, and then the end.
  init(_ name: String, _ outcome: Outcome, _ text: String, _ end: LoopbackPeer.RawEnd = .close) {
    self.init(name, [.storage: outcome, .backend: outcome], text, end)
  }

  init(_ name: String, _ outcomes: [Side: Outcome], _ text: String, _ end: LoopbackPeer.RawEnd = .close) {
    self.init(name, outcomes, bytes: Array(text.utf8), end)
  }

  init(_ name: String, _ outcomes: [Side: Outcome], bytes: [UInt8], _ end: LoopbackPeer.RawEnd = .close) {
    let needsTimeout =
      switch end {
      case .hold, .drip: true
      case .close, .reset, .next, .forever: false
      }
    self.init(name, outcomes, needsTimeout: needsTimeout) { request, _ in
      // A body without end after the head of an answer to HEAD would come to whatever is asked over the connection next.
      if case .forever = end, request.method == "HEAD" { return .raw(bytes, .close) }
      return .raw(bytes, end)
    }
  }

  init(
    _ name: String, _ outcomes: [Side: Outcome], status: Int, headers: [String] = [], body: [UInt8],
    type: String = "application/json"
  ) {
    let head =
      (["HTTP/1.1 \(status) \(HostileText.reason)", "Content-Length: \(body.count)", "Content-Type: \(type)"] + headers)
      .joined(separator: "\r\n")
    // What follows on the head of an answer to HEAD would be taken for the next request's.
    let lines = Array((head + "\r\n\r\n").utf8)
    self.init(name, outcomes) { request, _ in .raw(request.method == "HEAD" ? lines : lines + body, .next) }
  }

  init(
    _ name: String, _ outcomes: [Side: Outcome], needsTimeout: Bool = false,
    _ reply: @escaping @Sendable (LoopbackPeer.Request, String) -> LoopbackPeer.Reply
  ) {
    self.name = name
    self.needsTimeout = needsTimeout
    self.outcomes = outcomes
    self.reply = reply
  }

  /// A server that gives all of them, each to requests below its name.
  static func peer(_ answers: [HostileAnswer], elsewhere: String) throws -> LoopbackPeer {
    try LoopbackPeer { request in
      let name = request.target.split(separator: "/").first.map(String.init)
      guard let answer = answers.first(where: { $0.name == name }) else { return .cut }
      return answer.reply(request, elsewhere)
    }
  }

  static func both(_ outcome: Outcome) -> [Side: Outcome] { [.storage: outcome, .backend: outcome] }

  static func all(of side: Side) -> [HostileAnswer] {
    let groups: [[HostileAnswer]] = [heads, lengths, endless, slow, elsewhere, texts, JSONs, XMLs, lies]
    return groups.flatMap { $0 }.filter { $0.outcomes[side] != nil }
  }
}

enum HostileText {
  /// Clears the screen, writes to the clipboard, sets the title, turns the writing round, ends the line; as itself and with the
  /// second set of control characters.
  static let evil =
    "evil\u{1B}[2J\u{1B}]52;c;ZXZpbA==\u{7}\u{1B}]0;t\u{9C}\u{9B}31m\u{202E}\u{2066}\u{2028}\u{85}\u{7F}\u{8}end"
  /// What a header can carry of it.
  static let evilHeader = evil.replacing("\u{2028}", with: "")
  /// A status line's last words.
  static let reason = "Ev\u{1B}[2Jil"
  /// The same as JSON has it, NUL and the end of a line besides.
  static let evilJSON = #"\u0000a\u001b[2J\u001b]52;c;ZXZpbA==\u0007\u009b31m\u202e\u2066\u2028\n\r\nend"#

  /// A text with bytes after it that are none.
  static func bytes(_ text: String, _ more: UInt8...) -> [UInt8] {
    var bytes = Array(text.utf8)
    bytes.append(contentsOf: more)
    return bytes
  }
}

extension DaemonSetup {
  /// Gives each of these answers a spool, with a short time for those that only a time-out ends. An answer of a storage that drips is
  /// waited for ten times as long.
  mutating func hostile(
    _ answers: [HostileAnswer], _ side: HostileAnswer.Side, _ peer: LoopbackPeer, timeout: String, stall: String
  ) throws {
    for answer in answers {
      if answer.needsTimeout, side == .storage { constants["storage.\(answer.name).stall_timeout"] = "\"\(stall)\"" }
      let lines = answer.needsTimeout && side == .backend ? ["timeout = \"\(timeout)\""] : []
      let section = try hostile(answer.name, side, url: "\(peer.url)/\(answer.name)", lines: lines)
      furtherSpools += section
    }
  }

  /// The sections of a spool with a hostile destination of its own, so that no gate holds what another one has closed; the
  /// spool's folder is made. The daemon's spools are polled: a user has 128 instances of inotify, and one daemon with a hundred
  /// spools would leave the tests beside it without.
  mutating func hostile(_ name: String, _ side: HostileAnswer.Side, url: String, lines: [String]) throws -> String {
    constants["watch"] = "\"poll\""
    let spool = try folder.madeFolder(name)
    let destination =
      switch side {
      case .storage:
        """
        [storage.\(name)]
        endpoint = "\(url)"
        bucket = "documents"
        access_key = { file = "\(accessKeyFile.path)" }
        secret_key = { file = "\(secretKeyFile.path)" }
        """
      case .backend: "[backend.\(name)]\nurl = \"\(url)\""
      }
    return """
      \(destination)
      \(lines.joined(separator: "\n"))

      [[spool]]
      name = "\(name)"
      path = "\(spool.path)"
      storage = "\(side == .backend ? "main" : name)"
      backend = "\(side == .backend ? name : "main")"
      key = "{id}/{name}"
      settle_unseen = "200ms"
      scan_interval = "1s"


      """
  }
}
