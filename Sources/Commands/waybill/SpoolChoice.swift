import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Linux

/// The spool that files are added to. The daemon knows it. For people who may not ask the daemon, it is in the list that the daemon
/// leaves beside its socket; or they name its directory.
struct SpoolChoice {
  let spool: SpoolMessage
  /// The reason why the daemon could not be asked; nil if it was.
  let unasked: ControlError?

  /// Finds a spool by its name or its directory; the only one if neither is given.
  ///
  /// - Parameter socket: the path of the control socket.
  static func find(_ wanted: String?, _ client: ControlClient, socket: String) async throws -> SpoolChoice {
    let known: [SpoolMessage]
    do throws(ControlError) {
      known = try await client.status().spools
    } catch {
      switch error {
      case .notPermitted, .noDaemon: return try find(wanted, without: error, socket: socket)
      case .problem, .unreadable, .cancelled: throw CommandFailure(error)
      }
    }
    return SpoolChoice(spool: try pick(wanted, among: known), unasked: nil)
  }

  private static func find(
    _ wanted: String?, without error: ControlError, socket: String
  ) throws(CommandFailure) -> SpoolChoice {
    if let list = list(besideSocket: socket) {
      let spool = try pick(wanted, among: list.spools)
      // The list may be older than a move of the spool, or its disk is not mounted.
      if !list.kept.contains(spool.name) { try requireDirectory(of: spool) }
      return SpoolChoice(spool: spool, unasked: error)
    }
    guard let wanted, wanted.contains("/") else {
      var failure = CommandFailure(error)
      failure.words = "\(error). To add files without it, name the directory of the spool: --spool /PATH"
      throw failure
    }
    return SpoolChoice(spool: try directory(wanted), unasked: error)
  }

  /// Throws if the jobs of files cannot be followed.
  func requireDaemon(at socket: String) throws(CommandFailure) {
    guard let unasked else { return }
    guard case .notPermitted = unasked else { throw CommandFailure(unasked) }
    // Ignored: a directory that is closed to this user hides the socket too; then the words are those of the package.
    let group = (try? FileFacts(following: socket)).map { GroupName.of($0.group) } ?? "waybill"
    let names = (DisplayText.escape(group), DisplayText.escape(UserName.of(ProcessRights.user)))
    throw CommandFailure(
      status: .notPermitted,
      words:
        "--wait asks the daemon, and needs the group \(names.0) for that (usermod -a -G \(names.0) \(names.1), then "
        + "log in again); nothing was added")
  }

  /// The spools that the daemon has left beside its socket; nil if there is no such list.
  private static func list(besideSocket socket: String) -> SpoolList? {
    // Ignored: a daemon of an older version leaves none, and one of a newer version perhaps another one.
    guard let bytes = try? readSmallFile(path: SpoolList.path(besideSocket: socket), limit: SpoolList.longest) else {
      return nil
    }
    return try? ControlJSON.decode(SpoolList.self, from: bytes)
  }

  private static func pick(_ wanted: String?, among spools: [SpoolMessage]) throws(CommandFailure) -> SpoolMessage {
    let known = spools.map { DisplayText.escape($0.name) }.joined(separator: ", ")
    guard let wanted else {
      if spools.count == 1, let only = spools.first { return only }
      throw CommandFailure(
        status: .validationFailure,
        words: "name the spool with --spool; the spools are: \(known.isEmpty ? "none" : known)")
    }
    let found = wanted.contains("/") ? spools.first { isSame($0.path, wanted) } : spools.first { $0.name == wanted }
    if let found { return found }
    let meant = Suggestion.of(wanted, among: spools.map(\.name)).map { "did you mean '\(DisplayText.escape($0))'? " }
    throw CommandFailure(
      status: .validationFailure,
      words: "there is no spool '\(DisplayText.escape(wanted))'; \(meant ?? "")the spools are: "
        + (known.isEmpty ? "none" : known))
  }

  private static func isSame(_ path: String, _ other: String) -> Bool {
    guard let one = try? FileFacts(following: path), let two = try? FileFacts(following: other) else {
      // Ignored: a directory that cannot be looked at is compared by its path.
      return path == other
    }
    return one.isSameFile(as: two)
  }

  /// The spool in a directory of which nothing else is known.
  private static func directory(_ path: String) throws(CommandFailure) -> SpoolMessage {
    let spool = SpoolMessage(name: path, path: path, watch: "", readiness: [], lastScan: nil, oldestWaiting: nil)
    try requireDirectory(of: spool)
    return spool
  }

  /// Throws unless a daemon has made its `.waybill` in the spool's directory.
  private static func requireDirectory(of spool: SpoolMessage) throws(CommandFailure) {
    do throws(FileError) {
      let facts = try Directory(path: spool.path).facts(of: Array(".waybill".utf8))
      if facts.kind == .directory { return }
    } catch {
      guard error.code == "ENOENT" || error.code == "ENOTDIR" else { throw CommandFailure(adding: error, to: spool) }
    }
    throw CommandFailure(
      status: .validationFailure,
      words: "\(DisplayText.escape(spool.path)) is not the spool of a daemon: it has no directory .waybill")
  }
}
