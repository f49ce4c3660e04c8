import Messages

/// The work that a job left at the storage under one key. A cleanup is durable, may outlive its job, and is removed when done.
///
/// A cleanup deletes only objects that show the job's id, because the key may belong to another object by now.
public struct Cleanup: Hashable, Sendable {
  /// The aim for the object. Uploads in parts that no attempt continues are aborted in any case.
  public enum Aim: String, Sendable, CaseIterable {
    /// The object is in use and stays. `uploadID`, the upload that made the object, is not aborted.
    case keep
    /// The object is looked for, and reported if it is there.
    case look
    case remove
  }

  package let job: JobNumber
  /// The job's id, which an object carries to show that it is ours.
  public let id: JobID
  /// The job's spool, which may be paused.
  public let spool: String
  /// The storage's name in the configuration.
  public let storage: String
  package let bucket: String
  package let key: String

  package private(set) var aim: Aim
  /// The object's version, if the storage named one.
  public private(set) var version: String?
  /// The upload in parts that the job knew.
  public private(set) var uploadID: String?
  /// The last time, on the steady clock, at which an upload without an answer was under way (cut, timed out, or the daemon was killed); nil
  /// if there was none. The upload may still take effect for `StorageSettings.completeTimeout`; no try that begins within that time proves
  /// anything.
  public private(set) var uploadUnheardAt: Timestamp?
  /// The same for a deletion. Until that time is over, nothing may be stored under the key.
  public private(set) var deletionUnheardAt: Timestamp?
  /// True if an object of the job was deleted. If a HEAD is refused after that, nothing is there: S3 refuses HEAD for a missing object
  /// if the caller lacks the permission to list.
  public private(set) var hasRemoved: Bool
  package private(set) var tries: Int
  /// The time at which the next try is due, on the steady clock; nil during a try.
  public private(set) var nextAt: Timestamp?
  package private(set) var failure: Failure?
  /// The time at which the try in flight began; not in the ledger's row.
  private var begunAt: Timestamp?

  package init(
    job: JobNumber, id: JobID, spool: String, storage: String, bucket: String, key: String, aim: Aim,
    version: String? = nil, uploadID: String? = nil, uploadUnheardAt: Timestamp? = nil,
    deletionUnheardAt: Timestamp? = nil, hasRemoved: Bool = false, tries: Int = 0, nextAt: Timestamp?,
    failure: Failure? = nil
  ) {
    self.job = job
    self.id = id
    self.spool = spool
    self.storage = storage
    self.bucket = bucket
    self.key = key
    self.aim = aim
    self.version = version
    self.uploadID = uploadID
    self.uploadUnheardAt = uploadUnheardAt
    self.deletionUnheardAt = deletionUnheardAt
    self.hasRemoved = hasRemoved
    self.tries = tries
    self.nextAt = nextAt
    self.failure = failure
  }

  /// The same work for one object of a group.
  public func ofMember(key: String, version: String?, uploadID: String?) -> Cleanup {
    Cleanup(
      job: job, id: id, spool: spool, storage: storage, bucket: bucket, key: key, aim: aim, version: version,
      uploadID: uploadID, uploadUnheardAt: uploadUnheardAt, nextAt: nextAt)
  }

  /// True for the cleanup of a group. Its key is the prefix of the objects' keys and ends with a slash. The key of a single object never
  /// does, because a key has no empty segment.
  public var isOfGroup: Bool { key.hasSuffix("/") }

  package var destination: Destination { .storage(storage) }
}

/// The result of one try of a cleanup.
public enum CleanupResult: Hashable, Sendable {
  /// No object of ours is there.
  case absent
  /// An object of ours was there and is deleted.
  case removed
  /// An object of ours is there and was not to be deleted.
  case left
  /// The server refused the try, and would refuse it again.
  case refused(Failure)
  /// The try failed, with the verdict that an attempt would get. The storage's gate acts on that verdict.
  case failed(Failure, Verdict)
  /// A stop cut the try.
  case cut
}

extension Cleanup {
  /// Marks a try as in flight.
  public mutating func begin(_ steady: Timestamp) {
    assert(nextAt != nil, "it is in flight")
    tries +|= 1
    nextAt = nil
    begunAt = steady
  }

  /// Adds what the same job has left under the same key later. If the cleanup is in flight, it is not made due a second time.
  public mutating func add(_ other: Cleanup) {
    assert(job == other.job && key == other.key, "another job's object")
    // The aim that does more, which is the later one of the cases.
    aim = Aim.allCases.last { $0 == aim || $0 == other.aim } ?? aim
    version = other.version ?? version
    uploadID = other.uploadID ?? uploadID
    uploadUnheardAt = [uploadUnheardAt, other.uploadUnheardAt].compactMap(\.self).max()
    if nextAt != nil { nextAt = other.nextAt }
  }

  /// Makes the cleanup due now, because the job waits for it. The job's own attempt handles an upload that may still take effect, but
  /// not a deletion, which would remove what that attempt stores.
  public mutating func hurry(_ steady: Timestamp) {
    uploadUnheardAt = nil
    if nextAt != nil { nextAt = steady }
  }

  /// Folds the end of a try into the cleanup.
  /// - Parameters:
  ///   - begun: the cleanup as it was when the try began, without the work that was added later.
  ///   - landing: the time for which a request without an answer may still take effect at the storage.
  ///   - steady: the time on the steady clock.
  /// - Returns: the state of the server. The cleanup is done if it has no `nextAt` then.
  public mutating func end(
    _ result: CleanupResult, of begun: Cleanup, landing: Duration, steady: Timestamp
  ) -> Remote {
    let remote = remote(after: result, of: begun, landing: landing, steady: steady)
    assert(remote == .objectLeft || (remote == .pending) == (nextAt != nil), "\(remote), and it goes on otherwise")
    return remote
  }

  private mutating func remote(
    after result: CleanupResult, of begun: Cleanup, landing: Duration, steady: Timestamp
  ) -> Remote {
    failure = nil
    var result = result
    if case .refused = result, hasRemoved { result = .absent }
    let begunAt = begun.begunAt ?? steady
    func landsBy(_ unheardAt: Timestamp?) -> Timestamp? {
      unheardAt.map { $0 + landing }.flatMap { begunAt < $0 ? $0 : nil }
    }
    var late = landsBy(deletionUnheardAt)
    switch result {
    case .failed(let failure, _):
      self.failure = failure
      if begun.aim == .remove, failure.mayHaveActed { deletionUnheardAt = steady }
      nextAt = steady + (failure.retryAfter.map { max(pause, Verdict.clamp($0)) } ?? pause)
      return .pending
    case .cut:
      if begun.aim == .remove { deletionUnheardAt = steady }
      nextAt = steady
      return .pending
    case .absent, .removed: late = [late, landsBy(uploadUnheardAt)].compactMap(\.self).max()
    case .left, .refused: break
    }
    if case .removed = result { hasRemoved = true }
    guard aim == begun.aim, version == begun.version, uploadID == begun.uploadID else {
      nextAt = steady
      return .pending
    }
    // Tries also come earlier; the last one comes when no late request can take effect.
    let soon = steady + pause
    if let late {
      version = nil  // a late upload makes another version
      nextAt = max(steady, min(late, soon))
      return .pending
    }
    switch result {
    case .absent, .removed: return .clean
    case .left:
      // The object is reported. A late request may still begin an upload in parts.
      if let late = landsBy(uploadUnheardAt) {
        (aim, uploadID) = (.keep, nil)
        nextAt = max(steady, min(late, soon))
      }
      return .objectLeft
    case .refused, .failed, .cut: return .objectLeft
    }
  }

  /// The pause after a try. It doubles with each try, as a gate's pause does with each failed probe.
  private var pause: Duration { Gate.firstPause.doubled(tries - 1, upTo: Gate.longestPause) }
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
  indirect case owe(Cleanup)
  /// The job waits for its cleanup, which becomes due now.
  case hurry
  /// The cleanup is dropped: the job's own attempt takes care of its uploads.
  case drop
}

/// The state of the server after a job has ended without a registration; the raw value is the name that programs see as `remote`.
public enum Remote: String, Sendable, CaseIterable {
  /// Nothing of the job is there.
  case clean
  /// A ``Cleanup`` is still to be done, and is retried until it is.
  case pending
  /// The object is there, because nobody asked to remove it or because its removal was refused permanently.
  case objectLeft = "object-left"
}
