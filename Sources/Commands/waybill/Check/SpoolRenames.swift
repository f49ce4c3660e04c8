import ControlAPI
import HTTPTransfer
import Jobs
import Linux
import Messages
import ObjectStorage
import Settings

/// Finds jobs of the daemon at work whose spool was renamed or removed in a configuration: after a reload or a restart their files
/// would not be found.
enum SpoolRenames {
  /// The states whose jobs need their file.
  private static let states = Set(JobState.allCases.filter { !$0.isTerminal }).union([.aborted, .cancelled])
  /// A daemon that does not answer is no finding.
  private static let patience = Duration.seconds(2)

  /// Returns the control socket of the daemon that a configuration is for; nil if that is not known.
  static func socket(of configuration: Configuration, at path: String) -> String? {
    if let socket = configuration.daemon.control { return socket }
    // Any other file may be meant for another host, or for nobody.
    guard let instance = UnitSandbox.instance(ofConfiguration: path) else { return nil }
    return instance.isEmpty ? "/run/waybill/control.sock" : "/run/waybill-\(instance)/control.sock"
  }

  /// Returns a finding for each such spool; those until then if the daemon cannot be asked further.
  static func findings(
    _ configuration: Configuration, socket: String?
  ) async -> [(spool: String, finding: ProbeFinding)] {
    guard let socket else { return [] }
    var findings: [(String, ProbeFinding)] = []
    do {
      let client = ControlClient(socket: socket, transport: try Transport(maxConnections: 1), patience: patience)
      for spool in try await client.status().spools
      where !configuration.spools.contains(where: { $0.name == spool.name }) {
        var filter = JobFilter()
        (filter.spool, filter.states) = (spool.name, states)
        let count = try await client.groups(filter).groups.map(\.count).saturatingSum
        guard count > 0 else { continue }
        findings.append((spool.name, finding(count, spool, configuration)))
      }
    } catch {
      // Ignored: it does not answer, or no longer, or this user may not ask it. The reload says the same, and what was found counts.
    }
    return findings
  }

  private static func finding(_ count: Int, _ spool: SpoolMessage, _ configuration: Configuration) -> ProbeFinding {
    let name = DisplayText.escape(spool.name)
    guard let other = configuration.spools.first(where: { isSame($0.path, spool.path) }) else {
      let gone: Message = count == 1 ? .spoolGoneOne(spool: name) : .spoolGone(jobs: count, spool: name)
      return ProbeFinding(.advice, "is not in the file: \(gone.text); keep it until these jobs have ended")
    }
    let path = DisplayText.escape(other.path)
    let renamed: Message =
      count == 1 ? .spoolRenamedOne(spool: name, path: path) : .spoolRenamed(jobs: count, spool: name, path: path)
    return ProbeFinding(.fault, "has another name in the file: \(renamed.text)")
  }

  private static func isSame(_ path: String, _ other: String) -> Bool {
    guard let one = try? FileFacts(following: path), let two = try? FileFacts(following: other) else {
      // Ignored: what cannot be looked at is compared by its path.
      return path == other
    }
    return one.isSameFile(as: two)
  }
}
