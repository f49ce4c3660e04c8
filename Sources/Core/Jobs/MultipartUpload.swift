/// An upload in parts that a storage has begun for a job. It is durable before the first part is sent, so that a later attempt
/// can go on with it.
///
/// A class, as ``StoredLink`` is: it never changes, and a copy of a job copies only the reference.
public final class MultipartUpload: Hashable, Sendable {
  /// The storage's name for it (S3's `UploadId`).
  public let id: String
  /// The number of bytes of each part except the last, which may have fewer.
  public let partSize: Int64
  /// The checksum that its parts carry: `sha256`, `crc32c`, `crc64nvme` or `none`; followed by ` whole` if the storage has agreed
  /// to take the checksum of the whole object at the end.
  public let checksum: String
  package let file: FileIdentity

  package init(id: String, partSize: Int64, checksum: String, file: FileIdentity) {
    self.id = id
    self.partSize = partSize
    self.checksum = checksum
    self.file = file
  }

  /// True if two uploads are the same, part size and file included.
  public static func == (a: MultipartUpload, b: MultipartUpload) -> Bool {
    a === b || (a.id == b.id && a.partSize == b.partSize && a.checksum == b.checksum && a.file == b.file)
  }

  /// Hashes the id, which stands for the whole.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
