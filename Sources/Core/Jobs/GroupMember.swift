/// A file of a group, with what is known of its object.
public struct GroupMember: Hashable, Sendable {
  package var path: FileName
  /// The facts of the bytes that are to be sent.
  public var identity: FileIdentity
  /// True if an object with the job's id may hold the bytes that the file had before it changed.
  public var mayBeStale = false
  package var multipart: MultipartUpload?
  /// The storage's receipt, once it is durable.
  public var receipt: UploadReceipt?

  package init(path: FileName, identity: FileIdentity, receipt: UploadReceipt? = nil) {
    self.path = path
    self.identity = identity
    self.receipt = receipt
  }
}
