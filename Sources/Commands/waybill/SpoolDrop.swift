import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Linux
import Seams

/// Puts copies of files into a spool so that each appears there whole or not at all.
struct SpoolDrop: Sendable {
  struct Dropped: Sendable {
    var id: JobID
    /// The facts that identify the file, whatever its name is by now.
    var facts: FileFacts
  }

  let spool: Directory
  /// The names without `user.waybill.`, and the values.
  let metadata: [(name: String, value: [UInt8])]
  let needsIdentity: Bool
  let signals: CaughtSignals

  /// Copies a file under a temporary name, and renames it when all of it is on disk. It never replaces anything.
  ///
  /// A signal ends the process, but only after the copy is removed.
  /// - Throws: ``CommandFailure``, or a `FileError` of the spool's directory, which all other files would meet too.
  func put(_ path: [UInt8], as name: [UInt8]) throws -> Dropped {
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    let id = JobID.mint(at: .now, random: &random)
    // It says nothing of the identity that the file will ask for: whoever knew that could have a file of his own become the job
    // that is waited for.
    let temporary = Array(".waybill-add-".utf8) + JobID.mint(at: .now, random: &random).ascii
    let copy = try spool.create(temporary, permissions: 0o660)
    var isInPlace = false
    defer { if !isInPlace { discard(temporary) } }
    do throws(FileError) {
      try fill(copy, from: try OpenFile(following: path), id, temporary)
      let facts = try spool.facts(of: temporary)
      try spool.rename(temporary, into: spool, as: name)
      isInPlace = true
      try spool.sync(.addedEntry)
      return Dropped(id: id, facts: facts)
    } catch {
      throw CommandFailure(words: words(error, FileName(bytes: name).shown, isInPlace: isInPlace))
    }
  }

  private func words(_ error: FileError, _ shown: String, isInPlace: Bool) -> String {
    switch error.code {
    case _ where isInPlace: "\(shown) is in \(spool.path), but a crash could lose it: \(error.words)"
    case "EEXIST" where error.operation == "rename":
      "something named \(shown) still waits in \(spool.path); it was not replaced"
    case "EOPNOTSUPP" where error.operation.hasPrefix("set attribute"):
      "the spool's file system has no extended attributes, which --meta and --wait need: \(error.words)"
    default: error.words
    }
  }

  /// True if a file is still in the spool under its name. Ignored: an unreadable name counts as gone.
  func isThere(_ file: AddedFile) -> Bool {
    guard let dropped = file.dropped, let facts = try? spool.facts(of: file.fileName.bytes) else { return false }
    return facts.isSameFile(as: dropped.facts)
  }

  /// Copies the bytes, the attributes and the time of a file, and syncs the copy. A signal ends the process, with the copy removed.
  private func fill(
    _ copy: borrowing Descriptor, from source: OpenFile, _ id: JobID, _ temporary: [UInt8]
  ) throws(FileError) {
    var attributes = try source.attributes(
      where: { name in
        name == "user.mime_type"
          || name.hasPrefix("user.waybill.") && name != "user.waybill.id" && !name.hasPrefix("user.waybill.waybill-")
      }, count: 256, bytes: 65_536
    ).values
    for (name, value) in metadata { attributes["user.waybill." + name] = value }
    let path = "\(spool.path)/\(FileName(bytes: temporary).shown)"
    // The umask applied at the creation; the daemon's group must be able to read the file.
    try copy.setPermissions(0o660, path: path)
    var signal: Int32?
    let isWhole = try copy.copy(from: source, path: path) {
      signal = signals.next()
      return signal == nil
    }
    if !isWhole, let signal {
      discard(temporary)
      signals.letThrough(signal)
    }
    // The backend gets the time at which the document was last written, which is not now.
    try copy.setModified(try source.facts().modified, path: path)
    for (attribute, value) in attributes.sorted(by: { $0.key < $1.key }) {
      try copy.setAttribute(attribute, value, path: path)
    }
    do throws(FileError) {
      try copy.setAttribute("user.waybill.id", Array(id.description.utf8), path: path)
    } catch {
      // Nobody asked for an identity; without it the daemon makes one.
      guard error.code == "EOPNOTSUPP", !needsIdentity else { throw error }
    }
    try copy.sync(.addedFile, path: path)
  }

  /// Removes a copy that nobody should see. It is no error if it is gone already.
  private func discard(_ name: [UInt8]) {
    do throws(FileError) {
      try spool.remove(name)
    } catch {
      if error.code != "ENOENT" { Output.error(error.words) }
    }
  }
}

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
    guard let wanted else {
      if spools.count == 1 { return spools[0] }
      throw CommandFailure.usage("name the spool with --spool; \(known(spools))")
    }
    let found = wanted.contains("/") ? spools.first { isSame($0.path, wanted) } : spools.first { $0.name == wanted }
    guard let found else { throw CommandFailure.usage(missing(wanted, among: spools)) }
    return found
  }

  private static func known(_ spools: [SpoolMessage]) -> String {
    "the spools are: " + (spools.isEmpty ? "none" : spools.map { DisplayText.escape($0.name) }.joined(separator: ", "))
  }

  static func missing(_ wanted: String, among spools: [SpoolMessage]) -> String {
    "there is no spool '\(DisplayText.escape(wanted))'; \(known(spools))"
  }

  private static func isSame(_ path: String, _ other: String) -> Bool {
    // Ignored: a directory that cannot be looked at is compared by its path.
    guard let one = try? FileFacts(following: path), let two = try? FileFacts(following: other) else {
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
