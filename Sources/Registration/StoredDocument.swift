public import Jobs

/// What the backend is told of: the object of one job.
public struct StoredDocument: Hashable, Sendable {
  /// The job's number.
  public var job: JobNumber
  /// What was fixed at admission.
  public var ticket: Ticket
  /// The facts of the file that was uploaded.
  public var identity: FileIdentity
  /// The link to the object.
  public var link: String
  /// What the storage gave; nil where a person named the link.
  public var receipt: UploadReceipt?

  /// Puts together what the backend is told.
  public init(job: JobNumber, ticket: Ticket, identity: FileIdentity, link: String, receipt: UploadReceipt?) {
    self.job = job
    self.ticket = ticket
    self.identity = identity
    self.link = link
    self.receipt = receipt
  }
}
