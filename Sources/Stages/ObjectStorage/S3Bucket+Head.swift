import HTTPTransfer
public import Jobs
import Linux
import Messages
import Seams
import Settings

extension S3Bucket {
  /// Determines the owner of the object under this key by HEAD.
  /// - Parameter etag: the strong ETag in the answer that reported the object as stored. An object with this ETag need not show its size.
  /// - Throws: ``S3Refusal`` if HEAD is refused, besides the errors of the transfer.
  func occupant(of object: ObjectToStore, stored etag: String? = nil) async throws -> Occupant {
    // To show an encrypted object's checksum takes one more permission, which parts need anyway. SHA-256 of one PUT is in the metadata.
    let shows = settings.checksum.isCRC || settings.checksum == .sha256 && goesInParts(object)
    let headers = shows ? [HTTPHeader("x-amz-checksum-mode", "ENABLED")] : []
    let response: HTTPResponse
    do {
      Failpoint.headSending.pass()
      response = try await send(Exchange(method: "HEAD", place: object.address, headers: headers))
      Failpoint.headAnswered.pass()
    } catch let refusal as S3Refusal where refusal.isAbsence {
      Failpoint.headAnswered.pass()
      return .nobody
    } catch let refusal as S3Refusal where refusal.mayBeOfEncryption {
      Failpoint.headAnswered.pass()
      return try await occupant(of: object, notShown: refusal)
    }
    guard Self.shows(object.id, response) else { return .another }
    var shown = ShownObject(response, settings.checksum)
    shown.isEncrypted = try encryption()?.finding(in: response) ?? .fits == .fits
    // Some proxies leave the size out.
    if shown.size == nil, shown.has(etag: etag) { shown.size = object.expected.size }
    return .ours(shown)
  }

  func occupancy(
    _ shown: ShownObject, _ sums: ObjectSums, _ source: SourceFile, _ object: ObjectToStore
  ) -> Occupancy {
    let bytes = shown.bytes(sums, of: object)
    return Occupancy(shown.isEncrypted ? bytes : .other, object, isUntouched: source.opened == source.expected)
  }

  /// Returns false for an object to overwrite; throws ``UploadFailure/corrupted(_:)`` if neither is decided yet.
  func counts(_ occupancy: Occupancy) throws -> Bool {
    switch occupancy {
    case .counts: return true
    case .isReplaced: return false
    case .isOfForgottenJob: throw UploadFailure.corrupted(Failure(.fileChanged, .otherBytesOfForgottenJob))
    }
  }

  /// Returns the owner of the object under the key. A refused HEAD gives `unknown` if no object there must be kept, or if HEAD alone is
  /// refused and the storage accepts the condition of a PUT. Any other refusal is thrown: nothing may be stored before the owner is known.
  func known(_ object: ObjectToStore) async throws -> Occupant {
    do {
      return try await occupant(of: object)
    } catch let refusal as S3Refusal
      where !mayMeetOthers(object) || (refusal.isOfThisRequestAlone && trust.takesCondition)
    {
      return .unknown
    }
  }

  /// True if another job's object, which must not be replaced, may be under the key. A job's number in the key does not exclude that:
  /// another ledger has the same numbers.
  private func mayMeetOthers(_ object: ObjectToStore) -> Bool { !settings.overwrite && !object.hasOwnKey }

  /// Sends a request that must not replace another job's object. Without a condition, it is safe because the key belongs to this job alone,
  /// or HEAD has shown during this job's turn that the key is free. If a condition is not met, HEAD shows whose object it is.
  /// - Parameter counting: returns the receipt if our own object, which is there already, counts; nil to overwrite it.
  func write(
    _ object: ObjectToStore, conditional isConditional: Bool,
    _ send: (_ conditional: Bool) async throws -> UploadReceipt,
    counting: (ShownObject) async throws -> UploadReceipt?
  ) async throws -> UploadReceipt {
    do {
      return try await send(isConditional && trust.takesCondition)
    } catch let refusal as S3Refusal where refusal.isConditionRefused {
      if mayMeetOthers(object) {
        let occupant = try await known(object)
        if case .unknown = occupant { throw refusal }
        _ = try occupant.own(.lookFirst)
      }
      let receipt = try await send(false)
      trust.giveUpCondition(
        "storage.\(settings.name) does not take If-None-Match (HTTP \(refusal.answer.status)): until the next start or reload, HEAD before "
          + "each upload keeps objects from being replaced where a key has no {id}")
      return receipt
    } catch let refusal as S3Refusal where refusal.isPreconditionFailed {
      let occupant: Occupant
      do {
        occupant = try await self.occupant(of: object)
      } catch let head as S3Refusal {
        // The object may be ours: libcurl repeats a request by itself if a kept connection turns out to be dead.
        throw Self.mayHaveActed(head.failure)
      }
      switch occupant {
      // Ceph honours the condition of a PUT but ignores that of a Complete, and others may do the opposite.
      case .ours, .another: if refusal.context.method == "PUT" { trust.proveCondition() }
      case .nobody, .unknown: break
      }
      if let shown = try occupant.own(.failedCondition), let receipt = try await counting(shown) { return receipt }
      return try await send(false)
    }
  }

  /// True if HEAD must show first that the key is free, because the storage may ignore the condition of the PUT.
  func mustLookFirst(_ object: ObjectToStore) -> Bool { mayMeetOthers(object) && !trust.keepsCondition }

  /// Runs a body that looks for another object under the key and then stores one. Jobs with the same key take turns.
  func inTurn<Value: Sendable>(
    _ object: ObjectToStore, _ body: () async throws -> Value
  ) async throws -> Value {
    guard mayMeetOthers(object) else { return try await body() }
    return try await shared.turns.run(endpoint.place(of: object.bucket, key: object.key).url, body)
  }

  /// True if an answer shows this job's id and no other id. A web server's answer shows none.
  static func shows(_ id: JobID, _ response: HTTPResponse) -> Bool {
    let shown = response.headers.all.filter { $0.isNamed(MetadataHeaders.id) }
    return !shown.isEmpty && shown.allSatisfy { $0.value == id.description }
  }

  /// The failure for a shown checksum that is not that of the sent bytes: they were changed on the way or at the storage.
  func corruption(_ what: Message) -> Failure {
    Failure(
      .transient, .otherBytesStored(what: what, checksum: settings.checksum.rawValue),
      code: "ChecksumMismatch", mayHaveActed: true)
  }
}

/// Checks that an object is really stored, because an answer counts only if it proves that.
extension S3Bucket {
  /// Looks by HEAD, in the same attempt, for an object after an answer that proved nothing.
  /// - Parameter failure: thrown if the object is not there.
  /// - Returns: the object, if HEAD shows it with our id, the file's size or that ETag, and no other checksum.
  func settled(
    _ object: ObjectToStore, _ sums: ObjectSums, _ failure: Failure, etag: String? = nil
  ) async throws -> StoredObject {
    let found = try await shown(object, stored: etag.flatMap { Self.isStrong(Array($0.utf8)[...]) ? $0 : nil }) {
      refusal in
      throw failure.with(.answerAndHead(answer: failure.message, more: refusal.failure.message))
    }
    guard case .ours(let shown) = found, try isStored(shown, object, sums, etag: etag) else {
      throw failure.with(.answerButHead(answer: failure.message, finding: Self.finding(found)))
    }
    try await confirmEncryption(shown.response, of: object)
    trust.prove()
    return StoredObject(shown.response)
  }

  /// True if an object that shows our id is the one that was just sent.
  private func isStored(
    _ shown: ShownObject, _ object: ObjectToStore, _ sums: ObjectSums, etag: String?
  ) throws -> Bool {
    switch shown.bytes(sums, of: object) {
    case .same: return true
    case .unknown:
      // An object with our id and this size may be older. Then only an equal ETag is proof.
      return !(object.mayBeStale || object.mayBeForgotten) || shown.has(etag: etag)
    case .other:
      guard sums.fit(shown.checksum) || shown.size != object.expected.size else {
        throw UploadFailure.corrupted(corruption(.theObject))
      }
      return false
    }
  }

  /// Looks by HEAD for an object that is stored according to the answer, if the object is a probe or the storage is not proven yet.
  func prove(
    _ object: ObjectToStore, _ sums: ObjectSums, answerTo method: String, etag: String?
  ) async throws {
    guard object.isProbe || !trust.isProven else { return }
    let found = try await shown(object, stored: etag) { refusal in
      guard refusal.isRightMissing else { throw Self.mayHaveActed(refusal.failure) }
      trust.proveWithoutHead(
        "storage.\(settings.name) refuses HEAD (\(refusal.failure.words)): an upload counts as stored by the answer to its \(method) alone"
      )
    }
    switch found {
    case .ours(let shown) where shown.bytes(sums, of: object) != .other: trust.prove()
    case .unknown: break
    case .nobody, .another, .ours:
      throw Failure(
        .destination, .notAStorageHead(method: method, finding: Self.finding(found)), status: 200, mayHaveActed: true)
    }
  }

  /// Returns the owner of the object according to HEAD: `unknown` if HEAD is refused and the closure accepts that.
  func shown(
    _ object: ObjectToStore, stored etag: String? = nil, refused: (S3Refusal) throws -> Void
  ) async throws -> Occupant {
    do {
      return try await occupant(of: object, stored: etag)
    } catch let refusal as S3Refusal {
      // A failure that may pass is retried later, and so is a refused key.
      if [.unavailable, .credentials, .throttled, .transient].contains(refusal.failure.kind) {
        throw Self.mayHaveActed(refusal.failure)
      }
      try refused(refusal)
      return .unknown
    } catch let error as TransferError where error.kind != .cancelled {
      throw Self.mayHaveActed(Failure(for: error))
    }
  }

  static func mayHaveActed(_ failure: Failure) -> Failure {
    var failure = failure
    failure.mayHaveActed = true
    return failure
  }

  private static func finding(_ occupant: Occupant) -> Message {
    switch occupant {
    case .nobody, .unknown: .headFindsNone
    case .another: .headShowsAnother(header: MetadataHeaders.id)
    case .ours(let shown): shown.size == nil ? .headShowsNoSize : .headShowsOtherBytes
    }
  }
}

/// Looks that change nothing.
extension S3Bucket {
  /// Checks by HEAD if an object with the job's id is there, which an earlier attempt may have stored. Errors are returned as values.
  public func isThere(_ object: ObjectToStore) async -> Result<Bool, UploadFailure> {
    await isThere(object.address) { Self.shows(object.id, $0) }
  }

  /// Checks by HEAD if the object of a receipt is still under its key, with the job's id, the size, and the SHA-256 or else the ETag. An
  /// object that the storage refuses to show counts as missing. Errors are returned as values.
  public func isThere(_ receipt: UploadReceipt, of id: JobID) async -> Result<Bool, UploadFailure> {
    await isThere(ObjectAddress(bucket: receipt.bucket, key: receipt.key)) { response in
      let shown = ShownObject(response, settings.checksum)
      guard Self.shows(id, response), shown.size == nil || shown.size == receipt.size else { return false }
      if shown.size != nil, let sent = shown.sha256, let sha256 = receipt.sha256 { return sent == sha256 }
      return receipt.etag != nil && receipt.etag == StoredObject(response).etag
    }
  }

  private func isThere(
    _ object: ObjectAddress, _ isIt: (HTTPResponse) -> Bool
  ) async -> Result<Bool, UploadFailure> {
    do {
      return .success(isIt(try await send(Exchange(method: "HEAD", place: object))))
    } catch let refusal as S3Refusal where refusal.isAbsence || refusal.isOfThisRequestAlone {
      // Without permission to list, S3 refuses HEAD for a missing object.
      return .success(false)
    } catch {
      return .failure(Self.failure(of: error))
    }
  }

  /// Checks by HEAD of an object, or of the bucket for a nil key, if the storage answers.
  /// - Returns: the failure; nil if the object or the bucket was shown, or the object does not exist.
  public func look(bucket: String, key: String?) async throws(CancellationError) -> Failure? {
    do {
      _ = try await send(
        Exchange(method: "HEAD", place: ObjectAddress(bucket: bucket, key: key ?? "")))
      return nil
    } catch let refusal as S3Refusal where refusal.isAbsence {
      if key != nil { return nil }
      var failure = refusal.failure
      failure.kind = .destination
      return failure
    } catch  where error.isCancellation {
      throw CancellationError()
    } catch {
      return Failure(for: error)
    }
  }
}

extension S3Refusal {
  fileprivate var isRightMissing: Bool { !isPage && isOfThisRequestAlone && !(300..<400).contains(answer.status) }
}

extension Failure {
  func with(_ message: Message) -> Failure {
    var failure = self
    failure.message = message
    return failure
  }
}
