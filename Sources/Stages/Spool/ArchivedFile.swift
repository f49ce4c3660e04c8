import Linux

/// A file in an archive that was moved there by the daemon, with the facts by which it is known again.
///
/// Any change of the file gives it another ctime: of its bytes, mode, owner, attributes, name, or number of names.
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

  /// The same for a file that was renamed since, by the daemon itself.
  func hasSameBytes(_ facts: FileFacts) -> Bool {
    facts.kind == .regular && facts.links == 1 && facts.inode == inode && facts.size == size
      && facts.modified == modified
  }
}

/// A group in an archive, with the sum by which all its files are known again. It leaves as a whole or not at all.
struct ArchivedGroup: Hashable, Sendable {
  let path: ArchivedPath
  /// The inode of its directory.
  let inode: UInt64
  /// The directory's own last change (ctime), in nanoseconds since the Unix epoch: when it came into the archive.
  let changed: Int64
  let sum: GroupSum
}
