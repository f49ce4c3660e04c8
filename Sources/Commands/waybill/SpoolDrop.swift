import CommandParts
import Jobs
import Linux

/// Puts copies of files into a spool so that each appears there whole or not at all.
struct SpoolDrop: Sendable {
  /// The reason why a file was not put there, in words to print first.
  struct Problem: Error {
    let words: String
  }

  /// A file that is in the spool now.
  struct Dropped: Sendable {
    /// The identity that its job will have.
    var id: JobID
    /// The facts that identify the file, whatever its name is by now.
    var facts: FileFacts
  }

  let spool: Directory
  /// The names without `user.waybill.`, and the values.
  let metadata: [(name: String, value: [UInt8])]
  /// True if the job must later be found by its identity.
  let needsIdentity: Bool
  let signals: CaughtSignals

  /// Copies a file under a temporary name, and renames it when all of it is on disk. It never replaces anything.
  ///
  /// A signal ends the process, but only after the copy is removed.
  ///
  /// - Throws: ``Problem``, or a `FileError` of the spool's directory, which all other files would meet too.
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
      throw Problem(words: words(error, FileName(bytes: name).shown, isInPlace: isInPlace))
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

  /// True if a file is still in the spool under the name that it was given.
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
