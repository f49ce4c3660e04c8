/// The facts that show if a file is still the claimed one: recorded after the claim, compared before and after each reading.
public struct FileIdentity: Hashable, Sendable {
  /// The device that the file is on (`st_dev`).
  public var device: UInt64
  /// The inode on that device (`st_ino`).
  public var inode: UInt64
  /// The length in bytes.
  public var size: Int64
  /// The last modification of the bytes, in nanoseconds since the Unix epoch.
  public var modified: Int64
  /// The last change of bytes or inode, in nanoseconds since the Unix epoch.
  public var changed: Int64

  package init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
    self.device = device
    self.inode = inode
    self.size = max(0, size)
    self.modified = modified
    self.changed = changed
  }

  /// True for the same file in the same state. The device is not compared: some file systems (loop devices, btrfs, NFS) get another
  /// `st_dev` at each mount, and a claimed file is looked for only in its own spool.
  public static func == (one: FileIdentity, other: FileIdentity) -> Bool {
    one.inode == other.inode && one.size == other.size && one.modified == other.modified && one.changed == other.changed
  }

  /// Hashes the facts that are compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(inode)
    hasher.combine(size)
    hasher.combine(modified)
    hasher.combine(changed)
  }

  /// True if nothing shows that the file was written to since `other` was recorded: only its ctime may differ, as after a change of its
  /// mode, owner, ACL or number of names. If somebody sets the file's time back after writing, only a checksum finds that.
  public func isUnwritten(since other: FileIdentity) -> Bool { inode == other.inode && mayHoldBytes(of: other) }

  /// True if the file is as long as the other one and was last written to at the same moment. Then it may be a copy, made when the spool
  /// moved, or the same file with another owner or mode.
  public func mayHoldBytes(of other: FileIdentity) -> Bool { size == other.size && modified == other.modified }

  /// The time at which the bytes were last modified.
  public var modifiedAt: Timestamp { Timestamp(microseconds: modified / 1000) }
}
