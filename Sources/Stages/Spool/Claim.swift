public import Jobs
public import Linux

/// A file that was claimed: it stands in `.waybill` under its job's id and its own name.
public struct Claim: Hashable, Sendable {
  /// The id that was made for it.
  public let id: JobID
  /// The name it was dropped under.
  public let name: FileName
  /// The path of its directory in a recursive spool, without slashes at the ends; empty for the spool itself.
  public let path: [UInt8]
  /// The facts of its bytes, taken after the claim (the rename itself changes ctime).
  public let identity: FileIdentity
  /// The extended attributes `user.waybill.NAME` and `user.mime_type`, by full name. Empty if the daemon may not read the
  /// file.
  public let attributes: [String: [UInt8]]
  /// The sidecar that was claimed with it.
  public let sidecar: ClaimedSidecar?
  /// The group that it is; nil for a file.
  public let group: ClaimedGroup?
  /// The error that keeps something that belongs to it from being read, again and again: its attributes or its sidecar.
  public let unread: FileError?

  /// A claim with its facts.
  public init(
    id: JobID, name: FileName, path: [UInt8] = [], identity: FileIdentity, attributes: [String: [UInt8]] = [:],
    sidecar: ClaimedSidecar? = nil, group: ClaimedGroup? = nil, unread: FileError? = nil
  ) {
    self.id = id
    self.name = name
    self.path = path
    self.identity = identity
    self.attributes = attributes
    self.sidecar = sidecar
    self.group = group
    self.unread = unread
  }

  init(
    id: JobID, dropped: FileName, identity: FileIdentity, attributes: [String: [UInt8]], sidecar: ClaimedSidecar? = nil,
    group: ClaimedGroup? = nil, unread: FileError? = nil
  ) {
    self.init(
      id: id, name: dropped.last, path: dropped.path, identity: identity, attributes: attributes, sidecar: sidecar,
      group: group, unread: unread)
  }

  /// The name with the path before it, by which ``SpoolDirectory`` finds the file.
  public var dropped: FileName { FileName(name, in: path) }

  /// The id that the file asks for (`user.waybill.id`), if that is a valid id.
  public var wantedID: JobID? {
    attributes["user.waybill.id"].flatMap { String(validating: $0, as: UTF8.self) }.flatMap { JobID($0) }
  }

  /// The maximum number of attributes that are kept.
  public static var attributeCount: Int { 64 }
  /// The maximum number of bytes of names and values that are kept: S3 takes 2 KiB of metadata, the backend may take more.
  public static var attributeBytes: Int { 16_384 }

  static func isWanted(_ attribute: String) -> Bool {
    attribute == "user.mime_type" || attribute.hasPrefix("user.waybill.")
  }
}

extension FileIdentity {
  init(_ facts: FileFacts) {
    self.init(
      device: facts.device, inode: facts.inode, size: facts.size, modified: facts.modified, changed: facts.changed)
  }
}

/// The result of disposing of a claim, or of a file of one.
public enum Disposal: Hashable, Sendable {
  /// It is removed.
  case removed
  /// It was not there any more.
  case alreadyGone
  /// It was written to after the upload, and is kept: these are its facts now, if it is one file.
  case changed(FileIdentity?)
  /// Somebody has it open for writing: it is kept, since more may come.
  case beingWritten
  /// Nobody can tell who has it open, and it has not been unchanged for long enough since its claim. The value is the time
  /// left.
  case tooYoung(Duration)
}
