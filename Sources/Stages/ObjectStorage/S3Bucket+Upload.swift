import Credentials
import HTTPTransfer
public import Jobs
import Linux
import Messages
import Settings

extension S3Bucket {
  /// One attempt to store an object: opens and reads the file, sends it, and checks whether it changed in the meantime.
  ///
  /// A 412 is settled by HEAD in the same attempt. If an earlier answer was lost, HEAD is sent before any byte is sent again.
  /// Errors are returned as values.
  public func upload(_ object: ObjectToStore) async -> Result<UploadReceipt, UploadFailure> {
    do {
      if isStraight(object) { return .success(try await uploadStraight(object)) }
      return .success(try await uploadGenerally(object))
    } catch {
      let failure = Self.failure(of: error)
      if case .failed(let failure) = failure, failure.kind.isOfServer { trust.doubt() }
      return .failure(failure)
    }
  }

  /// The general way. It is a function of its own, so that a file on the straight way has no memory for it.
  @inline(never)
  private func uploadGenerally(_ object: ObjectToStore) async throws -> UploadReceipt {
    try await judgingSignatures(of: object) { try await attempt(object) }
  }

  /// The value for an error that ended an attempt.
  static func failure(of error: any Error) -> UploadFailure {
    switch error {
    case let failure as UploadFailure: failure
    case _ where error.isCancellation: .cut
    default: .failed(adapters.failure(for: error))
    }
  }

  private func attempt(_ object: ObjectToStore) async throws -> UploadReceipt {
    guard object.expected.size <= Self.largestObject || AWSHost(settings.endpoint)?.isStorage == true else {
      throw Failure(.rejected, .fileTooLarge(size: object.expected.size, storage: settings.name))
    }
    if goesInParts(object) { return try await storeInParts(object) }
    return try await inTurn(object) { try await storeInOnePiece(object) }
  }

  /// True if an object is stored by an upload in parts.
  package func goesInParts(_ object: ObjectToStore) -> Bool {
    object.expected.size >= settings.multipartThreshold || object.expected.size > Self.singlePutLimit
  }

  /// Reads the file for its checksum, and then sends it in one PUT.
  ///
  /// - Parameter sent: the PUT that was sent on the straight way: then this goes on where its answer is there.
  func storeInOnePiece(_ object: ObjectToStore, _ sent: SentPut? = nil) async throws -> UploadReceipt {
    let payload: Payload
    if let sent {
      payload = sent.payload
    } else {
      payload = try await Payload.read(object, settings.checksum, digest: settings.digest, on: workers)
    }
    // The upload in parts that was begun before the configuration was changed.
    if let old = object.multipart { try await abort(old.id, of: object) }
    var isConditional = !settings.overwrite
    if mustLookFirst(object) || object.mayBeStored {
      switch try await known(object) {
      case .ours(let shown):
        if let receipt = try await receipt(object, payload, shown) {
          trust.prove()
          return receipt
        }
        isConditional = false
      case .another where mustLookFirst(object): throw Self.notOurs
      case .another, .nobody, nil: break
      }
    }
    // It is answered once. A request that is sent again is another one.
    var sent = sent
    do {
      return try await send(object, conditional: isConditional) { isConditional in
        try await put(object, payload, conditional: isConditional, exchange(&sent, with: nil))
      }
    } catch let refusal as S3Refusal where refusal.isPreconditionFailed {
      return try await settle(object, payload)
    }
  }

  /// The PUT of an object.
  func put(of object: ObjectToStore, _ payload: Payload, conditional: Bool) throws(Failure) -> Exchange {
    var headers = try headers(of: object, sha256: payload.sums.sha256, conditional: conditional)
    addChecksum(payload.sums, to: &headers)
    return Exchange(
      method: "PUT", object: object, headers: headers, body: payload.body, payloadHash: payload.sums.payloadHash,
      isConditional: conditional, isLarge: object.expected.size >= Job.leastLarge, sent: object.sent)
  }

  private func put(
    _ object: ObjectToStore, _ payload: Payload, conditional: Bool, _ sent: SentPut? = nil
  ) async throws -> UploadReceipt {
    let exchange = try sent?.exchange ?? put(of: object, payload, conditional: conditional)
    let response: HTTPResponse
    do {
      if sent == nil { Failpoint.putSending.pass() }
      response = try await send(exchange, answer: sent?.answer)
      Failpoint.putAnswered.pass()
    } catch let refusal as S3Refusal where refusal.doubt != nil {
      Failpoint.putAnswered.pass()
      let shown = try await settled(
        object, payload.object, sha256: payload.sums.sha256, refusal.failure, etag: refusal.etag)
      try await payload.confirmUnchanged(object, on: workers)
      try await confirmEncryption(shown, of: object)
      trust.prove()
      return receipt(object, payload, shown)
    } catch let refusal as S3Refusal where refusal.isHashRefused {
      try await payload.confirmUnchanged(object, on: workers)
      throw refusal
    } catch let error as TransferError where error.kind == .readFailed {
      try await payload.confirmUnchanged(object, on: workers)
      throw error
    }
    do {
      try await payload.confirmUnchanged(object, on: workers)
    } catch let error as FileError {
      var failure = Self.adapters.failure(for: error)
      failure.mayHaveActed = true
      throw failure
    }
    guard fits(response, payload) else { throw UploadFailure.corrupted(corruption(.theObject)) }
    try await confirmEncryption(response, of: object)
    try await prove(
      object, payload.object, sha256: payload.sums.sha256, answerTo: "PUT", etag: response.headers[first: "ETag"])
    return receipt(object, payload, response)
  }

  /// Settles the case that there is already an object under the key. It is ours if and only if it shows our id.
  func settle(_ object: ObjectToStore, _ payload: Payload) async throws -> UploadReceipt {
    let occupant: Occupant
    do {
      occupant = try await self.occupant(of: object)
    } catch let refusal as S3Refusal {
      // It may be ours: libcurl repeats a request by itself if a kept connection turns out to be dead.
      var failure = refusal.failure
      failure.mayHaveActed = true
      throw failure
    }
    switch occupant {
    case .nobody: throw Self.vanished
    case .another:
      trust.proveCondition()
      throw Self.notOurs
    case .ours(let shown):
      trust.proveCondition()
      if let receipt = try await receipt(object, payload, shown) { return receipt }
      return try await put(object, payload, conditional: false)
    }
  }

  /// Returns the receipt for an object that shows our id, if it counts; nil if it is to be written over.
  private func receipt(
    _ object: ObjectToStore, _ payload: Payload, _ shown: ShownObject
  ) async throws -> UploadReceipt? {
    let occupancy = occupancy(shown, payload.object, sha256: payload.sums.sha256, payload.source, object)
    guard try counts(occupancy) else { return nil }
    try await payload.confirmUnchanged(object, on: workers)
    return receipt(object, payload, shown.response)
  }

  /// True if the answer shows the checksum of these bytes, or none.
  func fits(_ response: HTTPResponse, _ payload: Payload) -> Bool {
    guard let shown = response.headers.bytes(first: settings.checksum.header) else { return true }
    if let base64 = payload.sums.base64, shown.elementsEqual(base64.utf8) { return true }
    return payload.object.fit(String(decoding: shown, as: UTF8.self))
  }

  func receipt(_ object: ObjectToStore, _ payload: Payload, _ response: HTTPResponse) -> UploadReceipt {
    let sums = payload.sums
    return UploadReceipt(
      bucket: object.bucket, key: object.key, size: object.expected.size,
      etag: response.headers.bytes(first: "ETag").flatMap(Self.unquoted),
      version: Self.version(response.headers), sha256: sums.sha256,
      checksum: sums.base64.map { Checksum(algorithm: sums.algorithm.rawValue, type: .full, value: $0) },
      crc64nvme: sums.algorithm == .none && sums.sha256 == nil ? sums.content?.crc64nvme : nil,
      contentType: object.contentType, uploadedAt: now())
  }

  /// The maximum length of an ETag or version, in bytes. Both are stored with the job, and thousands of ETags for one file. S3
  /// has the same maximum for versions ("Retaining multiple versions of objects with S3 Versioning").
  static let longestMark = 1024

  /// The version that an answer names; nil if it names none or an invalid one.
  static func version(_ headers: HTTPHeaders) -> String? {
    headers[first: "x-amz-version-id"].flatMap { $0.isEmpty || $0.utf8.count > longestMark ? nil : $0 }
  }

  /// The ETag without its quotes (RFC 9110, 8.8.3); nil if it is empty or too long.
  static func unquoted(_ etag: some BidirectionalCollection<UInt8>) -> String? {
    let quote = UInt8(ascii: "\"")
    var text = etag[...]
    if text.starts(with: "W/".utf8) { text = text.dropFirst(2) }
    if text.count >= 2, text.first == quote, text.last == quote { text = text.dropFirst().dropLast() }
    return text.isEmpty || text.count > longestMark ? nil : String(decoding: text, as: UTF8.self)
  }
}

extension Failure.Kind {
  /// True if the failure concerns the storage, not the file or this one request.
  fileprivate var isOfServer: Bool {
    switch self {
    case .unavailable, .credentials, .network, .throttled, .transient, .destination: true
    case .conflict, .rejected, .file, .fileChanged, .configuration: false
    }
  }
}
