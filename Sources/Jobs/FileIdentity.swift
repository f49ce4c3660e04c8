/// What tells whether a file is still the one that was claimed: recorded after the claim, compared around each reading.
public struct FileIdentity: Hashable, Sendable {
  /// The device that the file is on (`st_dev`).
  public var device: UInt64
  /// The inode on that device (`st_ino`).
  public var inode: UInt64
  /// Length in bytes.
  public var size: Int64
  /// Last modification of the bytes, in nanoseconds since the Unix epoch.
  public var modified: Int64
  /// Last change of bytes or inode, in nanoseconds since the Unix epoch.
  public var changed: Int64

  /// Puts an identity together from the five facts of `stat`.
  public init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }

  /// Whether it is the same file in the same state, on whatever device: a file system gets another number at its next mount
  /// (`st_dev` of loop devices, btrfs or NFS), and a claimed file is looked for in its own spool alone.
  public static func == (one: FileIdentity, other: FileIdentity) -> Bool {
    one.inode == other.inode && one.size == other.size && one.modified == other.modified && one.changed == other.changed
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(inode)
    hasher.combine(size)
    hasher.combine(modified)
    hasher.combine(changed)
  }

  /// Whether nothing says that the file was written to since it was `other`: only its ctime may differ, as after a change of
  /// its mode, owner, ACL or number of names. Whoever sets a file's time back by hand writes unseen by this; a checksum tells.
  public func isUnwritten(since other: FileIdentity) -> Bool { inode == other.inode && mayHoldBytes(of: other) }

  /// Whether it is as long as another, and was last written to at the same moment: then it may be a copy of that file, made when
  /// the spool moved, or that file with another owner or mode.
  public func mayHoldBytes(of other: FileIdentity) -> Bool { size == other.size && modified == other.modified }

  /// When the bytes were last modified.
  public var modifiedAt: Timestamp { Timestamp(microseconds: modified / 1000) }
}
