import HTTPTransfer
import Jobs
import Linux
import Settings
import Messages

extension S3Bucket {
  /// Determines the owner of the object under this key by HEAD.
  ///
  /// - Parameter etag: the strong ETag of the answer with which it was stored just now. An object that shows it needs to show no size.
  /// - Throws: ``S3Refusal`` if HEAD is refused, besides the errors of the transfer.
  func occupant(of object: ObjectToStore, stored etag: String? = nil) async throws -> Occupant {
    // For encrypted objects this needs one more right, which parts need anyway. SHA-256 of one PUT is in the metadata.
    let shows = settings.checksum.isCRC || settings.checksum == .sha256 && goesInParts(object)
    let headers = shows ? [HTTPHeader("x-amz-checksum-mode", "ENABLED")] : []
    let response: HTTPResponse
    do {
      Failpoint.headSending.pass()
      response = try await send(Exchange(method: "HEAD", object: object, headers: headers))
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
    if shown.size == nil {
      let there = response.headers.bytes(first: "ETag").flatMap(Self.unquoted)
      let isStored = there != nil && there == etag.flatMap { Self.unquoted($0.utf8) }
      shown.size = isStored ? object.expected.size : try await size(of: object)
    }
    return .ours(shown)
  }

  /// Returns the size of an object whose HEAD shows none, as a proxy omits it that sends answers in chunks: one byte of it is requested,
  /// and `Content-Range` tells the size. Nil if that does not tell it either.
  func size(of object: some ObjectAddress) async throws -> Int64? {
    do {
      let response = try await send(.firstByte(of: object))
      guard response.status == 206 else { return ShownObject(response, settings.checksum).size }
      return response.headers[first: "Content-Range"]?.split(separator: "/").last.flatMap { Int64($0) }
    } catch let refusal as S3Refusal where refusal.answer.status == 416 {
      return 0  // only an empty object has no first byte
    } catch let refusal as S3Refusal where refusal.isOfThisRequestAlone || refusal.doubt != nil {
      return nil
    }
  }

  /// Decides on an object that shows our id.
  func occupancy(
    _ shown: ShownObject, _ sums: ObjectSums, sha256: String?, _ source: SourceFile, _ object: ObjectToStore
  ) -> Occupancy {
    let bytes = shown.bytes(sums, sha256: sha256 ?? object.sha256, size: object.expected.size)
    return Occupancy(shown.isEncrypted ? bytes : .other, object, isUntouched: source.opened == source.expected)
  }

  /// Returns true if an object counts as uploaded, false if it is to be written over.
  ///
  /// - Throws: ``UploadFailure/corrupted(_:)`` if neither is so yet.
  func counts(_ occupancy: Occupancy) throws -> Bool {
    switch occupancy {
    case .counts: return true
    case .isReplaced: return false
    case .isOfForgottenJob: throw UploadFailure.corrupted(Failure(.fileChanged, .otherBytesOfForgottenJob))
    }
  }

  /// Returns the owner of the object under the key; nil if HEAD is refused, which proves nothing.
  ///
  /// If other jobs may have an object under the key, a failure that may pass is thrown, because nothing may be stored before HEAD
  /// has answered. If the storage does not accept the condition either, every refusal is thrown: then nothing else can show whose
  /// object it is.
  func known(_ object: ObjectToStore) async throws -> Occupant? {
    do {
      return try await occupant(of: object)
    } catch let refusal as S3Refusal
      where !mayMeetOthers(object) || (refusal.isOfThisRequestAlone && trust.takesCondition)
    {
      return nil
    }
  }

  /// True if there may be an object of another job under the key, and it must not be replaced. A job's number does not make a key its
  /// own: another ledger has the same numbers.
  private func mayMeetOthers(_ object: ObjectToStore) -> Bool { !settings.overwrite && !object.hasOwnKey }

  /// Sends a request that must not replace another job's object, with a condition if the storage accepts one. Without the
  /// condition it is still safe: the key belongs to this job alone, or HEAD has shown during this job's turn that the key is
  /// free.
  func send<Value>(
    _ object: ObjectToStore, conditional isConditional: Bool, _ send: (_ conditional: Bool) async throws -> Value
  ) async throws -> Value {
    do {
      return try await send(isConditional && trust.takesCondition)
    } catch let refusal as S3Refusal where refusal.isConditionRefused {
      if mayMeetOthers(object) {
        switch try await known(object) {
        case .another: throw Self.notOurs
        case nil: throw refusal
        case .nobody, .ours: break
        }
      }
      let value = try await send(false)
      trust.giveUpCondition(
        "storage.\(settings.name) does not take If-None-Match (HTTP \(refusal.answer.status)): until the next start or reload, HEAD before "
          + "each upload keeps objects from being replaced where a key has no {id}")
      return value
    }
  }

  /// True if HEAD must show first that the key is free, because the storage may ignore the condition of the PUT.
  func mustLookFirst(_ object: ObjectToStore) -> Bool { mayMeetOthers(object) && !trust.keepsCondition }

  /// Runs a body that looks for another object under the key and then stores one. Jobs of this daemon with the same key take
  /// turns.
  func inTurn<Value: Sendable>(
    _ object: ObjectToStore, _ body: () async throws -> Value
  ) async throws -> Value {
    guard mayMeetOthers(object) else { return try await body() }
    return try await turns.run(endpoint.place(of: object.bucket, key: object.key).url, body)
  }

  /// True if an answer shows this job's id and no other id. A web server's answer shows none.
  static func shows(_ id: JobID, _ response: HTTPResponse) -> Bool {
    let shown = response.headers.all.filter { $0.isNamed(MetadataHeaders.id) }
    return !shown.isEmpty && shown.allSatisfy { $0.value == id.description }
  }

  /// The object was stored by somebody else, so a person has to decide.
  static let notOurs = Failure(
    .rejected, .objectNotOurs, status: 412,
    code: "PreconditionFailed")

  /// The object that prevented the upload has disappeared in the meantime.
  static let vanished = Failure(
    .transient, .objectVanished, status: 412,
    code: "PreconditionFailed")

  /// The storage shows a checksum that differs from that of the sent bytes: they were changed on the way or at the storage.
  func corruption(_ what: Message) -> Failure {
    Failure(
      .transient, .otherBytesStored(what: what, checksum: settings.checksum.rawValue),
      code: "ChecksumMismatch", mayHaveActed: true)
  }
}
