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

  /// When the bytes were last modified.
  public var modifiedAt: Timestamp { Timestamp(microseconds: modified / 1000) }
}
