import CommandParts
import Jobs
import Linux
import Spool

/// Puts copies of directories into a spool of groups so that each appears there whole or not at all.
struct TreeDrop: Sendable {
  let spool: Directory
  /// The pattern of the marker, without which the daemon does not take a directory.
  let marker: String
  let signals: CaughtSignals

  /// Copies a directory with all files in it under a temporary name, and renames it when all of it is on disk. It never replaces
  /// another one.
  ///
  /// A signal ends the process, but only after the copy is removed.
  func put(_ path: [UInt8], as name: [UInt8]) throws(SpoolDrop.Problem) -> SpoolDrop.Dropped {
    let source = try open(path)
    guard name.count <= SpoolDirectory.longestGroupName else {
      throw .file(
        "the name '\(FileName(bytes: name).shown)' is too long: that of a directory has at most "
          + "\(SpoolDirectory.longestGroupName) bytes")
    }
    try requireMarker(source)
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    let id = JobID.mint(at: .now, random: &random)
    let temporary = AddRemains.name()
    do throws(FileError) {
      try spool.makeDirectory(temporary, permissions: 0o770)
    } catch {
      throw .spool(error)
    }
    var isInPlace = false
    defer { if !isInPlace { discard(temporary) } }
    let facts: FileFacts
    do throws(FileError) {
      try fill(temporary, from: source)
      facts = try spool.facts(of: temporary)
      try spool.rename(temporary, into: spool, as: name)
    } catch let error where error.operation == "rename" && error.code == "EEXIST" {
      throw .file("something named \(FileName(bytes: name).shown) still waits in \(spool.path); it was not replaced")
    } catch {
      throw .file(Self.words(error))
    }
    isInPlace = true
    do throws(FileError) {
      try spool.sync(.addedEntry)
    } catch {
      throw .file("\(FileName(bytes: name).shown) is in \(spool.path), but a crash could lose it: \(error.words)")
    }
    return SpoolDrop.Dropped(id: id, facts: facts)
  }

  private func open(_ path: [UInt8]) throws(SpoolDrop.Problem) -> Directory {
    do throws(FileError) {
      if let text = String(validating: path, as: UTF8.self) { return try Directory(path: text) }
      // A path that is no text: name by name, without following links.
      let slash = UInt8(ascii: "/")
      var directory = try Directory(path: path.first == slash ? "/" : ".")
      for name in path.split(separator: slash) { directory = try directory.directory(Array(name)) }
      return directory
    } catch {
      guard error.code == "ENOTDIR" else { throw .file(error.words) }
      throw .file("'\(FileName(bytes: path).shown)' is a file, and the spool takes directories")
    }
  }

  private func requireMarker(_ source: Directory) throws(SpoolDrop.Problem) {
    do throws(FileError) {
      let tree = try GroupTree(source, marker: marker)
      var hasMarker = false
      while let file = try tree.next() { hasMarker = hasMarker || file.isMarker }
      if hasMarker { return }
    } catch {
      throw .file(Self.words(error))
    }
    throw .file(
      "\(DisplayText.escape(source.path)) has no marker (\(DisplayText.escape(marker))), so it would wait in the spool "
        + "for ever")
  }

  /// A directory that cannot be a group is no error of the kernel.
  private static func words(_ error: FileError) -> String {
    guard error.isOfNoGroup, let advice = error.advice else { return error.words }
    return "\(DisplayText.escape(error.path)) \(advice)"
  }

  private func fill(_ name: [UInt8], from source: Directory) throws(FileError) {
    let target = try spool.directory(name)
    try open(target)
    let tree = try GroupTree(source, marker: marker)
    var made = 1  // The first directory of the walk is the one that is copied.
    while let file = try tree.next() {
      try makeFolders(tree, &made, in: target)
      let (from, last) = try GroupTree.location(file.path, in: source)
      let (into, _) = try GroupTree.location(file.path, in: target)
      try copy(last, from, into, temporary: name)
    }
    try makeFolders(tree, &made, in: target)
    for folder in tree.folders.dropFirst().reversed() {
      try target.directory(below: folder.path).reopened().sync(.addedTree)
    }
    try target.sync(.addedTree)
  }

  /// Makes the directories that the walk has come to since the last call; parents come first.
  private func makeFolders(_ tree: GroupTree, _ made: inout Int, in target: Directory) throws(FileError) {
    for folder in tree.folders.dropFirst(made) {
      let (parent, last) = try GroupTree.location(FileName(bytes: folder.path), in: target)
      try parent.makeDirectory(last, permissions: 0o770)
      try open(try target.directory(below: folder.path).reopened())
    }
    made = tree.folders.count
  }

  /// Lets the group work in a directory: the umask applied at its creation. The group, and the bit that gives it to what is made
  /// below, come from the spool.
  private func open(_ directory: Directory) throws(FileError) {
    try directory.descriptor.setPermissions(try directory.facts().permissions | 0o770, path: directory.path)
  }

  private func copy(
    _ name: [UInt8], _ from: Directory, _ into: Directory, temporary: [UInt8]
  ) throws(FileError) {
    let source = try from.open(name)
    let path = "\(into.path)/\(FileName(bytes: name).shown)"
    let copy = try into.create(name, permissions: 0o660)
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
    let (before, after) = (source.openedFacts, try source.facts())
    guard before.size == after.size, before.modified == after.modified else {
      var error = FileError("copy", path: source.path, errno: 11)  // EAGAIN
      error.advice = "it was written to meanwhile"
      throw error
    }
    try copy.setModified(after.modified, path: path)
    try copy.sync(.addedFile, path: path)
  }

  /// Removes a copy that nobody should see.
  private func discard(_ name: [UInt8]) {
    do throws(FileError) {
      try SpoolDirectory.removeTree(name, from: spool)
    } catch {
      Output.error(error.words)
    }
  }
}
