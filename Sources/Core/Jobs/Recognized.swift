/// The earlier job that sent the bytes of a file which is not sent again.
public struct Recognized: Hashable, Sendable {
  /// The job that registered them.
  public var job: JobNumber
  /// The SHA-256 of the bytes in hex.
  public var sha256: String

  /// Creates a reference to an earlier job.
  public init(job: JobNumber, sha256: String) {
    self.job = job
    self.sha256 = sha256
  }
}

/// Bytes that were registered, as the ledger knows them, for a file that has the same.
public struct EarlierContent: Hashable, Sendable {
  /// The job that registered them.
  public var job: JobNumber
  /// That job's id, which its object has.
  public var id: JobID
  /// The storage's receipt for the object; its SHA-256 is there.
  public var receipt: UploadReceipt

  /// Creates a record of registered bytes.
  public init(job: JobNumber, id: JobID, receipt: UploadReceipt) {
    self.job = job
    self.id = id
    self.receipt = receipt
  }
}
