/// The work that a cancel left at the storage. It is durable, outlives its job, and is gone once it is done.
///
/// It deletes only objects that show the job's id, because the key may be somebody else's by now.
public struct Cleanup: Hashable, Sendable {
  /// The job that was cancelled.
  public let job: JobNumber
  /// The job's id, which an object carries to show that it is ours.
  public let id: JobID
  /// The job's spool, which may be paused.
  public let spool: String
  /// The storage's name in the configuration.
  public let storage: String
  /// The bucket.
  public let bucket: String
  /// The object's key.
  public let key: String

  /// True if the object is to be deleted; false if the cleanup only finds out if the object exists.
  public private(set) var remove: Bool
  /// The object's version, if the storage named one.
  public private(set) var version: String?
  /// The multipart upload that is to be aborted.
  public private(set) var uploadID: String?
  /// The time, on the steady clock, until which an upload whose answer nobody has heard may still take effect: it was cut, its time was
  /// over, or the daemon was killed. Nil if there is none. A look that began before proves nothing.
  public private(set) var uploadLandsBy: Timestamp?
  /// The same for a deletion. Until then nothing may be stored under the key again.
  public private(set) var deletionLandsBy: Timestamp?
  /// True if an object of the job was deleted. A HEAD that is refused after that means that nothing is there: S3 refuses HEAD for a
  /// missing object if the caller lacks the permission to list.
  public private(set) var hasRemoved: Bool
  /// The number of times it was begun.
  public private(set) var tries: Int
  /// The time at which it is due, on the steady clock; nil while it is in flight.
  public private(set) var nextAt: Timestamp?
  /// The failure of its last try.
  public private(set) var failure: Failure?
  /// The time at which the try in flight began; the ledger's row does not have it.
  private var begunAt: Timestamp?

  /// Creates a cleanup when a job is cancelled, or from the ledger's row.
  public init(
    job: JobNumber, id: JobID, spool: String, storage: String, bucket: String, key: String, remove: Bool,
    version: String? = nil, uploadID: String? = nil, uploadLandsBy: Timestamp? = nil,
    deletionLandsBy: Timestamp? = nil, hasRemoved: Bool = false, tries: Int = 0, nextAt: Timestamp?,
    failure: Failure? = nil
  ) {
    self.job = job
    self.id = id
    self.spool = spool
    self.storage = storage
    self.bucket = bucket
    self.key = key
    self.remove = remove
    self.version = version
    self.uploadID = uploadID
    self.uploadLandsBy = uploadLandsBy
    self.deletionLandsBy = deletionLandsBy
    self.hasRemoved = hasRemoved
    self.tries = tries
    self.nextAt = nextAt
    self.failure = failure
  }

  /// True if it is the cleanup of a group. Its key is the prefix of its objects' keys and ends with a slash, as the key of no single
  /// object does: a key has no empty segment.
  public var isOfGroup: Bool { key.hasSuffix("/") }

  /// The storage, as gates and pauses have it.
  public var destination: Destination { .storage(storage) }
}

/// The result of one try of a cleanup.
public enum CleanupResult: Hashable, Sendable {
  /// No object of ours is there.
  case absent
  /// An object of ours was there and is deleted.
  case removed
  /// An object of ours is there and was not to be deleted.
  case left
  /// The server refused it, and would refuse it again.
  case refused(Failure)
  /// It failed, with the verdict that an attempt would get. The storage's gate acts on that verdict.
  case failed(Failure, Verdict)
  /// A stop cut the try.
  case cut
}

extension Cleanup {
  /// The time for which a request without an answer may still take effect. Nothing waits longer than that for it.
  public static let landing: Duration = .seconds(5)
  /// The pause after the first failure; it doubles with each one.
  public static let firstPause: Duration = .seconds(30)
  /// The longest pause.
  public static let longestPause: Duration = .seconds(15 * 60)

  /// Marks a try as in flight.
  public mutating func begin(_ steady: Timestamp) {
    tries += 1
    nextAt = nil
    begunAt = steady
  }

  /// Adds the work of another cancel of the same job. If the cleanup is in flight, it is not made due a second time.
  public mutating func add(_ other: Cleanup) {
    remove = remove || other.remove
    version = other.version ?? version
    uploadID = other.uploadID ?? uploadID
    uploadLandsBy = [uploadLandsBy, other.uploadLandsBy].compactMap(\.self).max()
    if nextAt != nil { nextAt = other.nextAt }
  }

  /// Makes the cleanup due now, because the job waits for it. An upload that may still take effect is left to the job's own attempt, a
  /// deletion is not: it would take what that attempt stores.
  public mutating func hurry(_ steady: Timestamp) {
    uploadLandsBy = nil
    if nextAt != nil { nextAt = steady }
  }

  /// Folds the end of a try into the cleanup.
  ///
  /// - Parameters:
  ///   - begun: the cleanup when the try began. The try does not do work that was asked for later.
  ///   - steady: the time on the steady clock.
  /// - Returns: the state of the server; unless `pending`, the cleanup is done.
  public mutating func end(_ result: CleanupResult, of begun: Cleanup, steady: Timestamp) -> Remote {
    failure = nil
    var result = result
    if case .refused = result, hasRemoved { result = .absent }
    let landsBy: Timestamp?
    switch result {
    case .failed(let failure, _):
      self.failure = failure
      if begun.remove, failure.mayHaveActed { deletionLandsBy = steady + Self.landing }
      nextAt = steady + pause(failure)
      return .pending
    case .cut:
      if begun.remove { deletionLandsBy = steady + Self.landing }
      nextAt = steady
      return .pending
    case .absent, .removed: landsBy = [uploadLandsBy, deletionLandsBy].compactMap(\.self).max()
    case .left, .refused: landsBy = deletionLandsBy
    }
    if case .removed = result { hasRemoved = true }
    guard remove == begun.remove, version == begun.version, uploadID == begun.uploadID else {
      nextAt = steady
      return .pending
    }
    if let landsBy, begun.begunAt ?? steady < landsBy {
      // A late one is another version.
      version = nil
      nextAt = max(steady, landsBy)
      return .pending
    }
    switch result {
    case .absent, .removed: return .clean
    case .left, .refused, .failed, .cut: return .objectLeft
    }
  }

  private func pause(_ failure: Failure) -> Duration {
    let own = min(Self.firstPause * (1 << min(max(tries, 1) - 1, 5)), Self.longestPause)
    return failure.retryAfter.map { max(own, Verdict.clamp($0)) } ?? own
  }
}

extension CleanupResult {
  /// Returns the event for the storage's gate.
  public func gateEvent(of job: JobNumber) -> Gate.Event {
    switch self {
    case .absent, .removed, .left: return .succeeded(job)
    case .refused: return .failed(job, Gate.Symptom(.answered))
    case .failed(let failure, let verdict):
      var symptom = Gate.Symptom(of: failure, verdict)
      // A cleanup asks no question, so the gate must not wait for an answer.
      if symptom.kind.reason == .question { symptom.kind = .transient }
      return .failed(job, symptom)
    case .cut: return .cut(job)
    }
  }
}

/// The effect of a job's change on its cleanup.
public enum CleanupChange: Hashable, Sendable {
  /// This cleanup is to be done, in addition to what may be recorded already.
  case owe(Cleanup)
  /// The job waits for its cleanup, which becomes due now.
  case hurry
  /// The cleanup is not done here: another host has the job.
  case drop
}
