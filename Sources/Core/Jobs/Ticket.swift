/// The facts of a job that are fixed at its admission, whatever the configuration says later.
///
/// A class, because jobs are copied often and these facts never change: a copy takes one reference instead of a dozen.
public final class Ticket: Hashable, Sendable {
  package let id: JobID
  package let spool: String
  package let name: FileName
  /// The directory in a recursive spool, without slashes at the ends; empty for the spool itself.
  public let path: [UInt8]
  package let bucket: String
  /// The object's key, rendered once; for a group the prefix of its objects' keys. It is empty if the name makes a key that no storage
  /// takes, see ``objectKey``.
  public let key: String
  /// The Content-Type that the object is stored with.
  public let contentType: String
  /// The metadata that travels with the file (`user.waybill.NAME`).
  public let metadata: [String: String]
  /// The names of metadata that only the backend gets, because the object has no room for them.
  public let withheld: [String]
  /// The parts of the name that the spool's `match` captured, by their names; a part without a match is absent.
  public let captures: [String: String]
  /// The spool's priority at admission; higher goes first.
  public let priority: Int
  package let createdAt: Timestamp
  package let parcel: Parcel
  private let upload: Destination
  private let register: Destination

  package init(
    id: JobID, spool: String, name: FileName, path: [UInt8] = [], storage: String, backend: String, bucket: String,
    key: String, contentType: String, metadata: [String: String], priority: Int, createdAt: Timestamp,
    parcel: Parcel = .file, withheld: [String] = [], captures: [String: String] = [:]
  ) {
    self.captures = captures
    self.withheld = withheld
    self.id = id
    self.spool = spool
    self.name = name
    self.path = path
    self.bucket = bucket
    self.key = key
    self.contentType = contentType
    self.metadata = metadata
    self.priority = priority
    self.createdAt = createdAt
    self.parcel = parcel
    upload = .storage(storage)
    register = .backend(backend)
  }

  /// Returns the ticket with the sidecar that has come late, and the facts that follow from its values.
  public func with(
    _ sidecar: Parcel.Sidecar, key: String, metadata: [String: String], withheld: [String]
  ) -> Ticket {
    Ticket(
      id: id, spool: spool, name: name, path: path, storage: storage, backend: backend, bucket: bucket, key: key,
      contentType: contentType, metadata: metadata, priority: priority, createdAt: createdAt,
      parcel: .withSidecar(sidecar), withheld: withheld, captures: captures)
  }

  package var storage: String { upload.name }

  package var backend: String { register.name }

  /// Returns the destination of a step. Both destinations are made once, because they are asked for all the time.
  public func destination(of step: Step) -> Destination { step == .upload ? upload : register }

  /// The key to send the object under; nil if the name makes none that a storage takes.
  public var objectKey: String? { key.isEmpty ? nil : key }

  /// True if a backend granted uploads to the storage at the admission: no bucket is named.
  public var isGranted: Bool { bucket.isEmpty }

  /// The path and the name, by which the spool finds the file.
  public var dropped: FileName { FileName(name, in: path) }

  package var objectMetadata: [String: String] {
    withheld.isEmpty ? metadata : metadata.filter { !withheld.contains($0.key) }
  }

  /// True if all facts of two tickets are the same.
  public static func == (a: Ticket, b: Ticket) -> Bool {
    a === b
      || (a.id == b.id && a.spool == b.spool && a.name == b.name && a.path == b.path && a.upload == b.upload
        && a.register == b.register && a.bucket == b.bucket && a.key == b.key && a.contentType == b.contentType
        && a.metadata == b.metadata && a.priority == b.priority && a.createdAt == b.createdAt && a.parcel == b.parcel
        && a.withheld == b.withheld && a.captures == b.captures)
  }

  /// Hashes the id, which stands for the whole because it is never given twice.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
