public import Jobs

/// The object of one job, as the backend is told about it.
public struct StoredDocument: Hashable, Sendable {
  /// The job's number.
  public var job: JobNumber
  /// The facts that were fixed at admission.
  public var ticket: Ticket
  /// The facts of the file that was uploaded.
  public var identity: FileIdentity
  /// The link to the object.
  public var link: String
  /// The storage's receipt; nil if a person named the link.
  public var receipt: UploadReceipt?

  /// Creates the description for the backend.
  public init(job: JobNumber, ticket: Ticket, identity: FileIdentity, link: String, receipt: UploadReceipt?) {
    self.job = job
    self.ticket = ticket
    self.identity = identity
    self.link = link
    self.receipt = receipt
  }
}
