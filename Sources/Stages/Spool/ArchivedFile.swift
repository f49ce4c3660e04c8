import Linux

/// A file in an archive that the daemon moved there, with the facts that identify it.
///
/// Any change of a file changes its ctime: of its bytes, mode, owner, attributes, name, or number of names.
struct ArchivedFile: Hashable, Sendable {
  let path: ArchivedPath
  let inode: UInt64
  let size: Int64
  let modified: Int64
  let changed: Int64

  init(path: ArchivedPath, inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
    self.path = path
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }

  init(path: ArchivedPath, _ facts: FileFacts) {
    self.init(path: path, inode: facts.inode, size: facts.size, modified: facts.modified, changed: facts.changed)
  }

  /// True if a file is still the one that was archived, and has no other name.
  func isUnchanged(_ facts: FileFacts) -> Bool { hasSameBytes(facts) && facts.changed == changed }

  /// The same, for a file that the daemon itself has renamed since: its ctime is not compared.
  func hasSameBytes(_ facts: FileFacts) -> Bool {
    facts.kind == .regular && facts.links == 1 && facts.inode == inode && facts.size == size
      && facts.modified == modified
  }
}

/// A group in an archive, with the sum that identifies all its files. It is removed as a whole or not at all.
struct ArchivedGroup: Hashable, Sendable {
  let path: ArchivedPath
  /// The inode of its directory.
  let inode: UInt64
  /// The ctime of the directory itself, in nanoseconds since the Unix epoch: the time when it came into the archive.
  let changed: Int64
  let sum: GroupSum
}
