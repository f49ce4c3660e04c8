import Jobs
import Ledger
import Linux
import Messages
import ObjectStorage
import Settings
import Spool

/// Recognizes bytes that were sent before: an attempt at step 1 first reads the file and queries the ledger, then talks to the storage.
extension Stages {
  /// The result of reading a file's bytes before they are sent.
  struct Recognition {
    /// The SHA-256 of the bytes in hex; nil if they were not read.
    var sha256: String?
    /// The result of the attempt; nil if the bytes are to be sent.
    var result: AttemptResult?
  }

  /// True if the bytes of a job are remembered once it is registered.
  func remembers(_ job: Job) -> Bool {
    guard let options = parts[job.ticket.spool]?.options else { return false }
    return options.duplicates != .send && job.ticket.parcel.group == nil
  }

  func mayBeRecognized(_ job: Job) -> Bool { job.ticket.parcel == .inPlace || isRemembered(job) }

  private func isRemembered(_ job: Job) -> Bool { remembers(job) && job.identity.size > 0 }

  /// Reads the bytes of a job's file and checks if they were registered before.
  ///
  /// Empty files never count as duplicates; one in place counts by its name. An object, or an upload in parts, that an earlier attempt of
  /// the job may have stored comes first. A file whose bytes are in flight in another job counts as new, so that no job waits for another,
  /// except two jobs of one file in place.
  func recognize(
    _ job: Job, _ storage: ConfiguredStorage, _ part: SpoolPart, _ ledger: JobLedger
  ) async -> Result<Recognition, UploadFailure> {
    let isInPlace = job.ticket.parcel == .inPlace
    let isRemembered = isRemembered(job)
    guard isRemembered || isInPlace else { return .success(Recognition()) }
    do {
      if isInPlace, let other = try await ledger.holdName(of: job) {
        return .success(Recognition(result: Self.goesAfter(other, job)))
      }
    } catch {
      return .failure(.failed(Failure(.transient, .otherError(why: "\(error)"))))
    }
    // An upload in parts that continues is not read again to be recognized. But a file in place must be known by its bytes later,
    // because its name on another card may have other bytes.
    guard isInPlace || job.multipart == nil else { return .success(Recognition()) }
    let object = object(of: job, key: job.ticket.key, at: storage, in: part)
    let sha256: String
    switch await storage.stage.digest(of: object) {
    case .success(let sum): sha256 = sum
    case .failure(let failure): return .failure(failure)
    }
    let asIs = Recognition(sha256: sha256)
    let hasParts = job.multipart?.file.isUnwritten(since: job.identity) == true
    // Another job of a file in place may have been registered since the parts were begun; but an own object counts first.
    if job.sendsDuplicate || hasParts && (!isInPlace || job.mayBeStored) { return .success(asIs) }
    // An object with our id may have the bytes that the file had before.
    if job.mayBeStored, !job.objectMayBeStale {
      switch await storage.stage.isThere(object) {
      case .success(true): return .success(asIs)
      case .success(false): break
      case .failure(let failure): return .failure(failure)
      }
    }
    let earlier: EarlierContent?
    do {
      if isInPlace, let sent = try await sameFile(as: job, sha256, part, ledger) {
        if try await mayBeReplaced(sent, storage, ledger) { return .success(asIs) }
        let recognized = Recognized(job: sent, sha256: sha256)
        return .success(Recognition(sha256: sha256, result: .recognized(recognized)))
      }
      if hasParts { return .success(asIs) }
      if isInPlace, try await ledger.mayHaveBeenSent(job) {
        return .success(Recognition(sha256: sha256, result: .failed(Self.mayHaveBeenSent(job.ticket.name), .ask)))
      }
      guard isRemembered else { return .success(asIs) }
      earlier = try await earlierContent(of: job, sha256, part, ledger)
      // The earlier object is about to be overwritten.
      if earlier != nil, !job.ticket.hasOwnKey, try await ledger.isKeyWanted(by: job) { return .success(asIs) }
    } catch let failure as UploadFailure {
      return .failure(failure)
    } catch {
      return .failure(.failed(Failure(.transient, .otherError(why: "\(error)"))))
    }
    guard let earlier else { return .success(asIs) }
    return await skip(earlier, asIs, storage)
  }

  private func earlierContent(
    of job: Job, _ sha256: String, _ part: SpoolPart, _ ledger: JobLedger
  ) async throws -> EarlierContent? {
    let earlier = try await ledger.earlierContent(
      part.options.name, job.ticket.route, size: job.identity.size, sha256: sha256,
      since: clock.now() + (.zero - JobLedger.contentMemory))
    return earlier?.job == job.number ? nil : earlier
  }

  /// Returns true if another known job has overwritten the object of an earlier one, so that its key leads to other bytes. That needs a
  /// shared key and `overwrite`.
  private func mayBeReplaced(
    _ earlier: JobNumber, _ storage: ConfiguredStorage, _ ledger: JobLedger
  ) async throws -> Bool {
    guard storage.stage.overwrites, let job = try await ledger.job(.number(earlier)), !job.ticket.hasOwnKey,
      let receipt = job.stored?.receipt
    else { return false }
    return try await !storage.stage.isThere(receipt, of: job.ticket.id).get()
  }

  /// Returns the job that sent a file in place: the file has the bytes that were sent under its name, or it was renamed (the earlier
  /// name is gone, and inode or last component are the same). A copy is another file.
  private func sameFile(
    as job: Job, _ sha256: String, _ part: SpoolPart, _ ledger: JobLedger
  ) async throws -> JobNumber? {
    let own = job.ticket.dropped
    let sent = try await ledger.sentFiles(like: job, sha256: sha256)
    if let same = sent.first(where: { $0.name == own }) { return same.job }
    let others = sent.filter { $0.inode == job.identity.inode || $0.name.last == own.last }
    guard !others.isEmpty else { return nil }
    let directory = part.directory
    return try await workers.run {
      try others.first {
        try !directory.held().stands(ClaimReference(job.ticket.id, $0.name, .inPlace))
      }?.job
    }
  }

  /// Skips a file whose bytes an earlier job has sent, if that job's object is still there: the file is removed.
  private func skip(
    _ earlier: EarlierContent, _ asIs: Recognition, _ storage: ConfiguredStorage
  ) async -> Result<Recognition, UploadFailure> {
    switch await storage.stage.isThere(earlier.receipt, of: earlier.id) {
    case .success(true):
      var known = asIs
      known.result = .recognized(Recognized(job: earlier.job, sha256: asIs.sha256 ?? ""))
      return .success(known)
    case .success(false): return .success(asIs)
    case .failure(let failure): return .failure(failure)
    }
  }
}
