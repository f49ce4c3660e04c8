/// An upload in parts that a storage has begun for a job. It is durable before the first part is sent, so that a later attempt
/// can go on with it.
public struct MultipartUpload: Hashable, Sendable {
  /// The storage's name for it (S3's `UploadId`).
  public let id: String
  /// The number of bytes of each part except the last, which may have fewer.
  public let partSize: Int64
  /// The checksum that the parts carry: `sha256`, `crc32c`, `crc64nvme` or `none`; followed by ` whole` if the storage has agreed to take
  /// the checksum of the whole object at the end.
  public let checksum: String
  package let file: FileIdentity

  package init(id: String, partSize: Int64, checksum: String, file: FileIdentity) {
    self.id = id
    self.partSize = partSize
    self.checksum = checksum
    self.file = file
  }
}
