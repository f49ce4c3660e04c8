public import HTTPTransfer
public import Jobs
public import LinuxFiles

/// What one attempt of step 1 is to store.
public struct ObjectToStore: Sendable {
  /// The job, whose id the object carries.
  public var id: JobID
  /// The bucket that was fixed at admission.
  public var bucket: String
  /// The key that was fixed at admission.
  public var key: String
  /// The Content-Type to store.
  public var contentType: String
  /// What travels with the file.
  public var metadata: [String: String]
  /// The facts that the file must still have, before and after it is read.
  public var expected: FileIdentity
  /// Whether an object with our id may hold the file's bytes from before it changed, so that it counts for nothing.
  public var mayBeStale: Bool
  /// Whether an earlier attempt may have stored the object although its answer was lost: then HEAD is asked first.
  public var mayBeStored: Bool
  /// Whether the attempt is a probe, by which the storage's gate opens: then the storage has to show the object.
  public var isProbe: Bool
  /// The upload in parts that an earlier attempt began.
  public var multipart: MultipartUpload?
  /// Whether an earlier attempt may have begun an upload in parts of which nothing is known here.
  public var mayHaveUploads: Bool
  /// When the job was admitted: no upload of it is older.
  public var since: Timestamp?
  /// Makes an upload in parts durable that was begun; false where it could not, or is not wanted any more.
  public var began: @Sendable (MultipartUpload) async -> Bool
  /// Whether the file is on a disk of this machine and was looked at lately: then opening it and asking for its facts wait
  /// for nothing, and no worker thread need be woken for them.
  public var isLocal: Bool
  /// Where the bytes that go out are counted.
  public var sent: SentBytes?
  /// Opens the file. It may block, and is called on a worker thread unless the file is local.
  public var open: @Sendable () throws -> OpenFile

  /// Whether the key is the job's alone, because the job's id is part of it.
  var hasOwnKey: Bool { key.contains(id.description) }

  /// Puts together what is to be stored.
  public init(
    id: JobID, bucket: String, key: String, contentType: String, metadata: [String: String] = [:],
    expected: FileIdentity, mayBeStale: Bool = false, mayBeStored: Bool = false, isProbe: Bool = false,
    multipart: MultipartUpload? = nil,
    mayHaveUploads: Bool = false, since: Timestamp? = nil,
    began: @escaping @Sendable (MultipartUpload) async -> Bool = { _ in true }, isLocal: Bool = false,
    sent: SentBytes? = nil, open: @escaping @Sendable () throws -> OpenFile
  ) {
    self.id = id
    self.bucket = bucket
    self.key = key
    self.contentType = contentType
    self.metadata = metadata
    self.expected = expected
    self.mayBeStale = mayBeStale
    self.mayBeStored = mayBeStored
    self.isProbe = isProbe
    self.multipart = multipart
    self.mayHaveUploads = mayHaveUploads
    self.since = since
    self.began = began
    self.isLocal = isLocal
    self.sent = sent
    self.open = open
  }
}

/// How an attempt ended that brought no receipt.
public enum UploadFailure: Error, Hashable, Sendable {
  /// It failed.
  case failed(Failure)
  /// The file is not the one that was expected; these are its facts now. What was stored of it counts for nothing.
  case changed(Failure, now: FileIdentity)
  /// The storage shows another checksum than that of what was sent. What it has of the object counts for nothing.
  case corrupted(Failure)
  /// The task was cancelled or the transport shut down. The object may have been stored all the same.
  case cut
}
