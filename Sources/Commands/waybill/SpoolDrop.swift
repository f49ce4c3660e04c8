import CommandParts
import Jobs
import Linux

/// Puts copies of files into a spool so that they appear there whole or not at all.
struct SpoolDrop: Sendable {
  /// The reason why a file was not put there.
  enum Problem: Error {
    /// A problem with the spool's directory.
    case spool(FileError)
    /// A problem with this file, in words to print first.
    case file(String)
    /// The spool's file system has no extended attributes.
    case noAttributes(FileError)

    var inWords: String {
      switch self {
      case .spool(let error): error.words
      case .file(let words): words
      case .noAttributes(let error):
        "the spool's file system has no extended attributes, which --meta and --wait need: \(error.words)"
      }
    }
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

  /// Copies a file under a temporary name and renames it when all of it is on disk. It never replaces another file.
  ///
  /// A signal ends the process, but only after the temporary file is removed.
  func put(_ path: [UInt8], as name: [UInt8]) throws(Problem) -> Dropped {
    let source: OpenFile
    let attributes: [String: [UInt8]]
    do throws(FileError) {
      source = try OpenFile(following: path)
      attributes = try travelling(with: source)
    } catch {
      throw .file(error.words)
    }
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    let id = JobID.mint(at: .now, random: &random)
    let temporary = AddRemains.name()
    let copy: Descriptor
    do throws(FileError) {
      copy = try spool.create(temporary, permissions: 0o660)
    } catch {
      throw .spool(error)
    }
    var isInPlace = false
    defer { if !isInPlace { discard(temporary) } }
    let facts: FileFacts
    do throws(FileError) {
      try fill(copy, from: source, temporary)
      try mark(copy, attributes, id, temporary)
      facts = try spool.facts(of: temporary)
      try spool.rename(temporary, into: spool, as: name)
    } catch let error where error.operation == "rename" && error.code == "EEXIST" {
      throw .file(
        "a file named \(FileName(bytes: name).shown) still waits in \(spool.path); it was not replaced")
    } catch let error where error.operation.hasPrefix("set attribute") && error.code == "EOPNOTSUPP" {
      throw .noAttributes(error)
    } catch {
      throw .file(error.words)
    }
    isInPlace = true
    do throws(FileError) {
      try spool.sync(.addedEntry)
    } catch {
      throw .file("\(FileName(bytes: name).shown) is in \(spool.path), but a crash could lose it: \(error.words)")
    }
    return Dropped(id: id, facts: facts)
  }

  private func fill(_ copy: borrowing Descriptor, from source: OpenFile, _ name: [UInt8]) throws(FileError) {
    let path = path(name)
    // The umask applied at the creation; the daemon's group must be able to read the file.
    try copy.setPermissions(0o660, path: path)
    var signal: Int32?
    let isWhole = try copy.copy(from: source, path: path) {
      signal = signals.next()
      return signal == nil
    }
    if !isWhole, let signal {
      discard(name)
      signals.letThrough(signal)
    }
    // The backend gets the time at which the document was last written, which is not now.
    try copy.setModified(try source.facts().modified, path: path)
  }

  private func mark(
    _ copy: borrowing Descriptor, _ attributes: [String: [UInt8]], _ id: JobID, _ name: [UInt8]
  ) throws(FileError) {
    let path = path(name)
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

  /// Returns the attributes of the file itself. The caller's metadata replaces those of the same name.
  private func travelling(with source: OpenFile) throws(FileError) -> [String: [UInt8]] {
    var attributes = try source.attributes(
      where: { name in
        name == "user.mime_type"
          || name.hasPrefix("user.waybill.") && name != "user.waybill.id" && !name.hasPrefix("user.waybill.waybill-")
      }, count: 256, bytes: 65_536
    ).values
    for (name, value) in metadata { attributes["user.waybill." + name] = value }
    return attributes
  }

  /// Removes a file that nobody should see. It is no error if the file is gone already.
  private func discard(_ name: [UInt8]) {
    do throws(FileError) {
      try spool.remove(name)
    } catch {
      if error.code != "ENOENT" { Output.error(error.words) }
    }
  }

  private func path(_ name: [UInt8]) -> String { "\(spool.path)/\(FileName(bytes: name).shown)" }
}
