public import Messages

/// The work on one dropped file: upload, then register.
public struct Job: Hashable, Sendable {
  /// The number that people use for the job.
  public let number: JobNumber
  /// The facts that were fixed at admission. Only a sidecar that comes late changes them (``awaitsSidecar``).
  public internal(set) var ticket: Ticket

  /// A number that grows with every change. It guards against an answer to an older state of the job.
  public var revision: Int64 = 1
  /// The sequence of its last entry in the log of events, which leads to the earlier ones; 0 if there is none. The ledger sets it.
  public var lastEvent: Int64 = 0
  /// The facts of the bytes that the next attempt must find.
  public var identity: FileIdentity
  /// The step that is to be done next; of a job that has ended, the last step that it reached.
  public var step = Step.upload
  package var state = JobState.queued
  /// The number of tries of each step over the job's life.
  public var tries = Tries()
  /// The number of the ``RetryPolicy/delays`` spent at the present step since the last `confirm` or `retry`.
  public var delaysSpent = 0
  /// The time at which the attempt in flight began; nil unless `active`.
  public var attemptStartedAt: Timestamp?
  /// True if an earlier try of step 1 may have stored the object although no receipt came back: its answer was lost, or a stop,
  /// a crash or a cancel cut it.
  public var mayBeStored = false
  /// True if an object with our id may hold other bytes, such as those from before the file changed. Then it counts as stored only if a
  /// checksum proves that it has these bytes.
  public var objectMayBeStale = false
  /// True if the ledger may have forgotten a job with this id. That job's object may be there, and the backend may know its link.
  public var mayBeForgotten = false
  package var updatedAt: Timestamp
  /// The time at which the job reached a terminal state.
  public var finishedAt: Timestamp?
  package var disposedAt: Timestamp?
  /// The link of the last step 1, once it is durable. The link stays when the object was removed and step 1 must be done again, because the
  /// backend may know it: see ``link``.
  public var stored: StoredLink?
  /// The time at which a deferred job is tried again, on the steady clock.
  public var nextAttemptAt: Timestamp?
  /// The failure of the last attempt, until one succeeds.
  @Apart public var failure: Failure?
  /// The open question; nil unless `awaitingConfirmation`.
  @Apart public var question: Question?
  /// The backend's receipt, once it is durable.
  @Apart public var registration: RegistrationReceipt?
  /// The upload in parts that was begun for the present step 1; nil once the link is recorded.
  @Apart public var multipart: MultipartUpload?
  /// The state of the storage after an end without registration, or while a cleanup is to be done; nil otherwise.
  public var remote: Remote?
  /// The release of the file: under way while the job is aborted or cancelled, done once it is discarded. Nil if there is none.
  @Apart public var release: Release?
  /// The earlier job whose bytes this one has; nil unless `skipped`.
  @Apart public var recognized: Recognized?
  /// True if a person allowed to send the bytes although they may have been sent before.
  public var sendsDuplicate = false

  /// The link that step 1 gave; nil while step 1 is to be done, or done again.
  public var link: StoredLink? { step == .upload ? nil : stored }

  package init(number: JobNumber, ticket: Ticket, identity: FileIdentity) {
    self.number = number
    self.ticket = ticket
    self.identity = identity
    updatedAt = ticket.createdAt
  }

  /// The count of the present or last try over the job's life.
  public var attempt: Int { tries[step] }

  /// True if a queued job may not start because its cleanup must be done first: otherwise the cleanup would delete what the job
  /// stores.
  public var waitsForCleanup: Bool { state == .queued && step == .upload && remote == .pending }

  /// True while the job asks because its sidecar has not come, and nothing of the job was sent: a sidecar that comes joins the job.
  public var awaitsSidecar: Bool {
    state == .awaitingConfirmation && failure?.code == Failure.sidecarCode && ticket.parcel == .file
      && tries.upload == 0 && !mayBeStored
  }

  /// The destination of the job's step.
  package var destination: Destination { ticket.destination(of: step) }

  /// The destination that people see: the backend, if it failed to grant the upload.
  package var blamed: Destination { failure?.grantor ?? destination }
}

/// A release: the file goes into a directory for the person who asked for it.
public struct Release: Hashable, Sendable {
  /// The directory that it goes to, an absolute path.
  public var to: String
  package var by: Caller

  package init(to: String, by: Caller) {
    self.to = to
    self.by = by
  }
}

/// The numbers of tries of each step.
public struct Tries: Hashable, Sendable {
  package var upload = 0
  package var register = 0

  package init(upload: Int = 0, register: Int = 0) {
    self.upload = upload
    self.register = register
  }

  /// The number of tries of one step.
  public subscript(step: Step) -> Int {
    get { step == .upload ? upload : register }
    set { if step == .upload { upload = newValue } else { register = newValue } }
  }
}

/// The question to the operator about a failed step. It is durable state, not a suspended task.
public struct Question: Hashable, Sendable {
  /// The sentence, e.g. `Upload of a.pdf failed: HTTP 403: …. Retry?`
  public var message: Message
  package var askedAt: Timestamp

  package init(_ failure: Failure, at step: Step, of name: FileName, askedAt: Timestamp) {
    self.init(.stepQuestion(step: step.rawValue, name: name.shown, why: failure.message), askedAt: askedAt)
  }

  package init(_ message: Message, askedAt: Timestamp) {
    self.message = message
    self.askedAt = askedAt
  }
}
