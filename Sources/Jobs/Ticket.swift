/// What is fixed when a job is admitted, whatever the configuration says later.
///
/// A class, because a job is copied at every turn and this half of it never changes: one reference instead of a dozen.
public final class Ticket: Hashable, Sendable {
  /// The identity for machines.
  public let id: JobID
  /// The spool that the file was dropped into.
  public let spool: String
  /// The file's name, as it was dropped.
  public let name: FileName
  /// Where in a recursive spool it was, without slashes at the ends; empty for the spool itself.
  public let path: [UInt8]
  /// The storage's name in the configuration.
  public let storage: String
  /// The backend's name in the configuration.
  public let backend: String
  /// The bucket.
  public let bucket: String
  /// The object's key, rendered once.
  public let key: String
  /// The Content-Type that the object is stored with.
  public let contentType: String
  /// What travels with the file (`user.waybill.NAME`).
  public let metadata: [String: String]
  /// The spool's priority at admission; higher goes first.
  public let priority: Int
  /// When the job was admitted.
  public let createdAt: Timestamp

  /// Puts together what is fixed at admission.
  public init(
    id: JobID, spool: String, name: FileName, path: [UInt8] = [], storage: String, backend: String, bucket: String,
    key: String,
    contentType: String, metadata: [String: String], priority: Int, createdAt: Timestamp
  ) {
    self.id = id
    self.spool = spool
    self.name = name
    self.path = path
    self.storage = storage
    self.backend = backend
    self.bucket = bucket
    self.key = key
    self.contentType = contentType
    self.metadata = metadata
    self.priority = priority
    self.createdAt = createdAt
  }

  /// The name with the path before it, by which the spool finds the file.
  public var dropped: FileName { FileName(name, in: path) }

  /// Whether two tickets say the same.
  public static func == (a: Ticket, b: Ticket) -> Bool {
    a === b
      || (a.id == b.id && a.spool == b.spool && a.name == b.name && a.path == b.path && a.storage == b.storage
        && a.backend == b.backend
        && a.bucket == b.bucket && a.key == b.key && a.contentType == b.contentType && a.metadata == b.metadata
        && a.priority == b.priority && a.createdAt == b.createdAt)
  }

  /// The id stands for the whole: it is never given twice.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
