/// The earlier job that sent the bytes of a skipped file.
public struct Recognized: Hashable, Sendable {
  package var job: JobNumber
  /// The SHA-256 of the bytes in hex.
  public var sha256: String

  package init(job: JobNumber, sha256: String) {
    self.job = job
    self.sha256 = sha256
  }
}

/// Registered bytes that the ledger knows, to compare with a new file.
public struct EarlierContent: Hashable, Sendable {
  package var job: JobNumber
  /// The id of that job, which the object carries.
  public var id: JobID
  /// The storage's receipt for the object, with its SHA-256.
  public var receipt: UploadReceipt

  package init(job: JobNumber, id: JobID, receipt: UploadReceipt) {
    self.job = job
    self.id = id
    self.receipt = receipt
  }
}
