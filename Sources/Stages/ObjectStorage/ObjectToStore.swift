public import HTTPTransfer
public import Jobs
public import Linux
import Messages

/// The object that one attempt of step 1 stores.
public struct ObjectToStore: Sendable {
  /// The job, whose id the object carries.
  public var id: JobID
  /// The bucket that was fixed at admission.
  public var bucket: String
  /// The key that was fixed at admission.
  public var key: String
  /// The Content-Type to store.
  public var contentType: String
  /// The facts for tags and for headers with placeholders; nil if the storage has neither.
  public var facts: KeyFacts?
  /// The metadata to send with the file.
  public var metadata: [String: String]
  /// The facts that the file must still have, before and after it is read.
  public var expected: FileIdentity
  /// The SHA-256 of the file's bytes in hex, if it was read before; nil if not.
  public var sha256: String?
  /// True if an object with our id may have other bytes, such as those from before the file changed. Then it counts only if a checksum
  /// proves its bytes.
  public var mayBeStale = false
  /// True if a job that the ledger has forgotten may have had the id. Then an object with our id counts only by a checksum too, and one
  /// with other bytes is replaced only once ``mayBeStale`` is durable.
  public var mayBeForgotten = false
  /// True if an earlier attempt may have stored the object although its answer was lost. Then HEAD is sent first.
  public var mayBeStored = false
  /// True if the attempt is the probe that can open the storage's gate. Then HEAD must show the object.
  public var isProbe = false
  /// The upload in parts that an earlier attempt began.
  public var multipart: MultipartUpload?
  /// True if an earlier attempt may have begun an upload in parts whose id is not known here.
  public var mayHaveUploads = false
  /// The time at which the job was admitted; none of its uploads is older.
  public var since: Timestamp?
  /// Makes a begun upload in parts durable. Returns false if that failed or the attempt is no longer wanted.
  public var began: @Sendable (MultipartUpload) async -> Bool = { _ in true }
  /// True if the file is on a disk of this machine and was accessed recently. Then opening it and reading its facts do not block,
  /// and need no worker thread.
  public var isLocal: Bool
  /// The counter of the bytes that are sent.
  public var sent: SentBytes?
  /// True if the attempt sends several objects at a time.
  public var isOneOfMany = false
  /// Opens the file. It may block, and is called on a worker thread unless ``isLocal`` is true.
  public var open: @Sendable () throws -> OpenFile

  /// True if no other job can have this key, because the job's id is part of it.
  var hasOwnKey: Bool { key.containsBytes(of: id.description) }

  /// Creates the description of an object to store, without earlier attempts.
  public init(
    id: JobID, bucket: String, key: String, contentType: String, facts: KeyFacts? = nil,
    metadata: [String: String] = [:], expected: FileIdentity, isLocal: Bool = false,
    open: @escaping @Sendable () throws -> OpenFile
  ) {
    self.id = id
    self.bucket = bucket
    self.key = key
    self.contentType = contentType
    self.facts = facts
    self.metadata = metadata
    self.expected = expected
    self.isLocal = isLocal
    self.open = open
  }
}

/// The reason why an attempt ended without a receipt.
public enum UploadFailure: Error, Hashable, Sendable {
  case failed(Failure)
  /// The file is not the expected one; `now` has its current facts. Anything that was stored of it does not count.
  case changed(Failure, now: FileIdentity)
  /// The storage shows another checksum than that of the sent bytes. What it has stored of the object does not count.
  case corrupted(Failure)
  /// The task was cancelled or the transport shut down. The object may still have been stored.
  case cut
}
