/// An upload in parts that a storage has begun for a job. It is durable before the first part is sent, so that a later
/// attempt goes on with it.
///
/// A class, as ``StoredLink`` is: it never changes, and a job is copied at every turn.
public final class MultipartUpload: Hashable, Sendable {
  /// What the storage calls it (S3's `UploadId`).
  public let id: String
  /// Bytes of each part but the last, which may have fewer.
  public let partSize: Int64
  /// The checksum that its parts carry: `sha256`, `crc32c`, `crc64nvme` or `none`.
  public let checksum: String
  /// The facts of the file that it was begun for.
  public let file: FileIdentity

  /// An upload that was begun.
  public init(id: String, partSize: Int64, checksum: String, file: FileIdentity) {
    self.id = id
    self.partSize = partSize
    self.checksum = checksum
    self.file = file
  }

  /// Whether two uploads are the same, part size and file included.
  public static func == (a: MultipartUpload, b: MultipartUpload) -> Bool {
    a === b || (a.id == b.id && a.partSize == b.partSize && a.checksum == b.checksum && a.file == b.file)
  }

  /// The id stands for the whole.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
