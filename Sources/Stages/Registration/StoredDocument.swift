public import Jobs

/// The stored object of one job, with the facts for its registration.
public struct StoredDocument: Hashable, Sendable {
  /// The job's number.
  public var job: JobNumber
  /// The id of the registration; nil to use the job's own.
  public var id: JobID?
  /// The facts that were fixed at admission.
  public var ticket: Ticket
  /// The facts of the file that was uploaded.
  public var identity: FileIdentity
  /// The link to the object.
  public var link: String
  /// The storage's receipt; nil if a person named the link.
  public var receipt: UploadReceipt?
  /// The text of the sidecar; nil if there is none, or if no field needs it.
  public var sidecar: String?
  /// The seconds by which the clock for the dates in the configured fields was ahead of UTC at the admission.
  public var offset: Int
  /// The files of a group; nil for a document, and for a link that a person named.
  public var files: GroupList?

  /// Creates the description for a registration.
  public init(
    job: JobNumber, ticket: Ticket, identity: FileIdentity, link: String, receipt: UploadReceipt?,
    sidecar: String? = nil, offset: Int = 0, files: GroupList? = nil, id: JobID? = nil
  ) {
    self.id = id
    self.job = job
    self.ticket = ticket
    self.identity = identity
    self.link = link
    self.receipt = receipt
    self.sidecar = sidecar
    self.offset = offset
    self.files = files
  }
}
