import CommandParts
import Jobs
import Linux
import Spool

/// Puts copies of files and directories into a spool so that each appears there whole or not at all.
struct SpoolDrop: Sendable {
  /// The reason why something was not put there.
  enum Problem: Error {
    /// A problem with the spool's directory, which all others would have too.
    case spool(FileError)
    /// A problem with this file, in words to print first.
    case file(String)
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
  /// The pattern of the marker that a directory needs, in a spool that takes directories as groups; nil if it takes files.
  let marker: String?
  let signals: CaughtSignals

  /// Copies a file, or a directory with all files in it, under a temporary name, and renames it when all of it is on disk. It never
  /// replaces anything.
  ///
  /// A signal ends the process, but only after the copy is removed.
  func put(_ path: [UInt8], as name: [UInt8]) throws(Problem) -> Dropped {
    let shown = FileName(bytes: name).shown
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    let id = JobID.mint(at: .now, random: &random)
    let temporary = Self.temporaryName()
    var isInPlace = false
    defer { if !isInPlace { discard(temporary) } }
    let facts: FileFacts
    do throws(Problem) {
      if let marker {
        try copyTree(path, marker, name, temporary)
      } else {
        try copyFile(path, id, temporary)
      }
    } catch {
      // Nothing was made that could be removed.
      if case .spool = error { isInPlace = true }
      throw error
    }
    do throws(FileError) {
      facts = try spool.facts(of: temporary)
      try spool.rename(temporary, into: spool, as: name)
      isInPlace = true
      try spool.sync(.addedEntry)
    } catch let error where error.operation == "rename" && error.code == "EEXIST" {
      throw .file("something named \(shown) still waits in \(spool.path); it was not replaced")
    } catch {
      throw .file(
        isInPlace ? "\(shown) is in \(spool.path), but a crash could lose it: \(error.words)" : error.words)
    }
    return Dropped(id: id, facts: facts)
  }

  /// True if a file is still in the spool under the name that it was given.
  func isThere(_ file: AddedFile) -> Bool {
    guard let dropped = file.dropped, let facts = try? spool.facts(of: file.fileName.bytes) else { return false }
    return facts.isSameFile(as: dropped.facts)
  }

  private func copyFile(_ path: [UInt8], _ id: JobID, _ temporary: [UInt8]) throws(Problem) {
    do throws(FileError) {
      let source = try OpenFile(following: path)
      var attributes = try source.attributes(
        where: { name in
          name == "user.mime_type"
            || name.hasPrefix("user.waybill.") && name != "user.waybill.id" && !name.hasPrefix("user.waybill.waybill-")
        }, count: 256, bytes: 65_536
      ).values
      for (name, value) in metadata { attributes["user.waybill." + name] = value }
      let copy = try spool.create(temporary, permissions: 0o660)
      let shown = "\(spool.path)/\(FileName(bytes: temporary).shown)"
      try fill(copy, from: source, path: shown, whole: temporary)
      // The backend gets the time at which the document was last written, which is not now.
      try copy.setModified(try source.facts().modified, path: shown)
      try mark(copy, attributes, id, shown)
      try copy.sync(.addedFile, path: shown)
    } catch let error where error.operation == "create" {
      throw .spool(error)
    } catch let error where error.operation.hasPrefix("set attribute") && error.code == "EOPNOTSUPP" {
      throw .file(
        "the spool's file system has no extended attributes, which --meta and --wait need: \(error.words)")
    } catch {
      throw .file(error.words)
    }
  }

  private func mark(
    _ copy: borrowing Descriptor, _ attributes: [String: [UInt8]], _ id: JobID, _ path: String
  ) throws(FileError) {
    for (attribute, value) in attributes.sorted(by: { $0.key < $1.key }) {
      try copy.setAttribute(attribute, value, path: path)
    }
    do throws(FileError) {
      try copy.setAttribute("user.waybill.id", Array(id.description.utf8), path: path)
    } catch {
      // Nobody asked for an identity; without it the daemon makes one.
      guard error.code == "EOPNOTSUPP", !needsIdentity else { throw error }
    }
  }

  /// Copies the bytes of a file. A signal ends the process, with all of the copy removed.
  private func fill(
    _ copy: borrowing Descriptor, from source: OpenFile, path: String, whole temporary: [UInt8]
  ) throws(FileError) {
    // The umask applied at the creation; the daemon's group must be able to read the file.
    try copy.setPermissions(0o660, path: path)
    var signal: Int32?
    let isWhole = try copy.copy(from: source, path: path) {
      signal = signals.next()
      return signal == nil
    }
    guard !isWhole, let signal else { return }
    discard(temporary)
    signals.letThrough(signal)
  }

  private func copyTree(
    _ path: [UInt8], _ marker: String, _ name: [UInt8], _ temporary: [UInt8]
  ) throws(Problem) {
    guard name.count <= SpoolDirectory.longestGroupName else {
      throw .file(
        "the name '\(FileName(bytes: name).shown)' is too long: that of a directory has at most "
          + "\(SpoolDirectory.longestGroupName) bytes")
    }
    do throws(FileError) {
      let source = try open(path)
      if try hasMarker(source, marker) {
        try spool.makeDirectory(temporary, permissions: 0o770)
        return try fill(try spool.directory(temporary), from: source, marker, temporary)
      }
    } catch let error
      where error.operation == "make directory" && error.path.hasSuffix("/" + FileName(bytes: temporary).shown)
    {
      throw .spool(error)
    } catch {
      // A directory that cannot be a group is no error of the kernel.
      guard error.isOfNoGroup, let advice = error.advice else { throw .file(error.words) }
      throw .file("\(DisplayText.escape(error.path)) \(advice)")
    }
    throw .file(
      "\(FileName(bytes: path).shown) has no marker (\(DisplayText.escape(marker))), so it would wait in the spool for ever"
    )
  }

  private func hasMarker(_ source: Directory, _ marker: String) throws(FileError) -> Bool {
    let tree = try GroupTree(source, marker: marker)
    var found = false
    while let file = try tree.next() { found = found || file.isMarker }
    return found
  }

  private func open(_ path: [UInt8]) throws(FileError) -> Directory {
    if let text = String(validating: path, as: UTF8.self) { return try Directory(path: text) }
    // A path that is no text: name by name, without following links.
    let slash = UInt8(ascii: "/")
    var directory = try Directory(path: path.first == slash ? "/" : ".")
    for name in path.split(separator: slash) { directory = try directory.directory(Array(name)) }
    return directory
  }

  private func fill(
    _ target: Directory, from source: Directory, _ marker: String, _ temporary: [UInt8]
  ) throws(FileError) {
    try openForGroup(target)
    let tree = try GroupTree(source, marker: marker)
    var made = 1  // The first directory of the walk is the one that is copied.
    while true {
      let file = try tree.next()
      // The directories that the walk has come to; parents come first.
      for folder in tree.folders.dropFirst(made) {
        let (parent, last) = try GroupTree.location(FileName(bytes: folder.path), in: target)
        try parent.makeDirectory(last, permissions: 0o770)
        try openForGroup(try target.directory(below: folder.path).reopened())
      }
      made = tree.folders.count
      guard let file else { break }
      let (from, last) = try GroupTree.location(file.path, in: source)
      let (into, _) = try GroupTree.location(file.path, in: target)
      try copy(last, from, into, temporary)
    }
    for folder in tree.folders.dropFirst().reversed() {
      try target.directory(below: folder.path).reopened().sync(.addedTree)
    }
    try target.sync(.addedTree)
  }

  /// Lets the group work in a directory: the umask applied at its creation. The group, and the bit that gives it to what is made
  /// below, come from the spool.
  private func openForGroup(_ directory: Directory) throws(FileError) {
    try directory.descriptor.setPermissions(try directory.facts().permissions | 0o770, path: directory.path)
  }

  private func copy(
    _ name: [UInt8], _ from: Directory, _ into: Directory, _ temporary: [UInt8]
  ) throws(FileError) {
    let source = try from.open(name)
    let path = "\(into.path)/\(FileName(bytes: name).shown)"
    let copy = try into.create(name, permissions: 0o660)
    try fill(copy, from: source, path: path, whole: temporary)
    let (before, after) = (source.openedFacts, try source.facts())
    guard before.size == after.size, before.modified == after.modified else {
      throw FileError("copy", path: source.path, errno: 11, advice: "it was written to meanwhile")  // EAGAIN
    }
    try copy.setModified(after.modified, path: path)
    try copy.sync(.addedFile, path: path)
  }

  /// Removes a copy that nobody should see. It is no error if it is gone already.
  private func discard(_ name: [UInt8]) {
    do throws(FileError) {
      if marker == nil { try spool.remove(name) } else { try SpoolDirectory.removeTree(name, from: spool) }
    } catch {
      if error.code != "ENOENT" { Output.error(error.words) }
    }
  }
}
