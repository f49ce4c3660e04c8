import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Linux

/// The spool that files are added to. The daemon knows it. People who may not ask the daemon, or while none runs, name its directory.
struct SpoolChoice {
  let spool: SpoolMessage
  /// The reason why the daemon could not be asked; nil if it was.
  let unasked: ControlError?

  /// Finds a spool by its name or its directory; the only one if neither is given.
  init(_ wanted: String?, _ client: ControlClient) async throws {
    let spools: [SpoolMessage]
    do throws(ControlError) {
      spools = try await client.status().spools
    } catch {
      switch error {
      case .notPermitted, .noDaemon:
        spool = try Self.at(wanted, without: error)
        unasked = error
        return
      case .problem, .unreadable, .cancelled: throw error
      }
    }
    spool = try Self.pick(wanted, among: spools)
    unasked = nil
  }

  private static func pick(_ wanted: String?, among spools: [SpoolMessage]) throws(CommandFailure) -> SpoolMessage {
    let known = spools.isEmpty ? "none" : spools.map { DisplayText.escape($0.name) }.joined(separator: ", ")
    guard let wanted else {
      if spools.count == 1 { return spools[0] }
      throw CommandFailure.usage("name the spool with --spool; the spools are: \(known)")
    }
    let found = wanted.contains("/") ? spools.first { isSame($0.path, wanted) } : spools.first { $0.name == wanted }
    if let found { return found }
    let meant = Suggestion.of(wanted, among: spools.map(\.name)).map { "did you mean '\(DisplayText.escape($0))'? " }
    throw CommandFailure.usage(
      "there is no spool '\(DisplayText.escape(wanted))'; \(meant ?? "")the spools are: \(known)")
  }

  private static func isSame(_ path: String, _ other: String) -> Bool {
    guard let one = try? FileFacts(following: path), let two = try? FileFacts(following: other) else {
      // Ignored: a directory that cannot be looked at is compared by its path.
      return path == other
    }
    return one.isSameFile(as: two)
  }

  /// Returns the spool of a directory, if a daemon has made its `.waybill` there.
  private static func at(_ wanted: String?, without error: ControlError) throws(CommandFailure) -> SpoolMessage {
    guard let path = wanted, path.contains("/") else {
      var failure = CommandFailure(error)
      failure.words = "\(error). To add files without it, name the directory of the spool: --spool /PATH"
      throw failure
    }
    let spool = SpoolMessage(name: path, path: path, watch: "", readiness: [], lastScan: nil, oldestWaiting: nil)
    do throws(FileError) {
      let facts = try Directory(path: path).facts(of: Array(".waybill".utf8))
      if facts.kind == .directory { return spool }
    } catch {
      guard error.code == "ENOENT" || error.code == "ENOTDIR" else { throw CommandFailure(adding: error, to: path) }
    }
    throw CommandFailure.usage("\(DisplayText.escape(path)) is not the spool of a daemon: it has no directory .waybill")
  }
}
