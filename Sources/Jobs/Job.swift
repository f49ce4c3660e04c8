/// One dropped file's whole journey: upload, then register.
public struct Job: Hashable, Sendable {
  /// The number for people.
  public let number: JobNumber
  /// What was fixed at admission.
  public let ticket: Ticket

  /// Grows with every change; guards against an answer to what the job no longer is.
  public var revision: Int64
  /// The facts of the bytes that the next attempt has to find.
  public var identity: FileIdentity
  /// Which step is to be done, or was reached.
  public var step: Step
  /// Where the job stands.
  public var state: State
  /// How many tries each step has had over the job's life.
  public var tries: Tries
  /// How far the schedule of the present step has come.
  public var schedule: RetrySchedule
  /// When the attempt in flight began; nil unless `active`.
  public var attemptStartedAt: Timestamp?
  /// When a deferred job is tried again, on the clock that does not jump.
  public var nextAttemptAt: Timestamp?
  /// What the last attempt failed with, until one succeeds.
  public var failure: Failure?
  /// The open question; nil unless `awaitingConfirmation`.
  public var question: Question?
  /// The link of the last step 1, once it is durable. It outlives its object where that was removed and step 1 is to be done
  /// again, as what the backend may have been told: see ``link``.
  public var stored: StoredLink?
  /// The backend's receipt, once it is durable.
  public var registration: RegistrationReceipt?
  /// Whether an earlier try of step 1 may have stored the object although no receipt came of it: its answer was lost, or
  /// a stop, a crash or a cancel cut it.
  public var mayBeStored: Bool
  /// The upload in parts that was begun for the present step 1; it goes when the link is there.
  public var multipart: MultipartUpload?
  /// Whether an object with our id may hold bytes of this file from before it changed, so that it counts for nothing.
  public var objectMayBeStale: Bool
  /// How the storage stands since the job was cancelled; nil for a job that was not, or of which nothing was ever sent.
  public var remote: Remote?
  /// Where the file is being given back to; nil unless a release is under way.
  public var release: Release?
  /// The last change.
  public var updatedAt: Timestamp
  /// When the job reached a terminal state.
  public var finishedAt: Timestamp?
  /// When the file was disposed of.
  public var disposedAt: Timestamp?

  /// The link that step 1 gave; nil while it is to be done, or done again.
  public var link: StoredLink? { step == .upload ? nil : stored }

  /// A job as it stands right after admission.
  public init(number: JobNumber, ticket: Ticket, identity: FileIdentity) {
    self.number = number
    self.ticket = ticket
    self.identity = identity
    self.revision = 1
    self.step = .upload
    self.state = .queued
    self.tries = Tries()
    self.schedule = RetrySchedule()
    self.mayBeStored = false
    self.objectMayBeStale = false
    self.updatedAt = ticket.createdAt
  }

  /// The try that is in flight or was the last one, counted over the job's life.
  public var attempt: Int { tries[step] }

  /// Whether the job may not start, though it is queued, because its cleanup has to be done first: else that would delete
  /// what the job stores.
  public var waitsForCleanup: Bool { state == .queued && step == .upload && remote == .pending }

  /// The destination of the present step, by its name in the configuration, e.g. `storage.main`.
  public var destination: String {
    switch step {
    case .upload: "storage." + ticket.storage
    case .register: "backend." + ticket.backend
    }
  }
}

/// A file on its way back to the one who asked for it.
public struct Release: Hashable, Sendable {
  /// The directory that it goes to, an absolute path.
  public var to: String
  /// Who asked for it.
  public var by: Caller

  /// A release to a directory.
  public init(to: String, by: Caller) {
    self.to = to
    self.by = by
  }
}

/// Tries of each step.
public struct Tries: Hashable, Sendable {
  /// Tries of step 1.
  public var upload = 0
  /// Tries of step 2.
  public var register = 0

  /// No tries yet, or as many as the ledger says.
  public init(upload: Int = 0, register: Int = 0) {
    self.upload = upload
    self.register = register
  }

  /// The tries of one step.
  public subscript(step: Step) -> Int {
    get {
      switch step {
      case .upload: upload
      case .register: register
      }
    }
    set {
      switch step {
      case .upload: upload = newValue
      case .register: register = newValue
      }
    }
  }
}
