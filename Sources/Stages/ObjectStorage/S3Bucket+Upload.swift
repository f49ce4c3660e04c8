import Credentials
import HTTPTransfer
public import Jobs
import Linux
import Messages
import Seams
import Settings
import XML

extension S3Bucket {
  /// One attempt to store an object: opens and reads the file, sends it, and checks whether it changed in the meantime.
  ///
  /// A 412 is settled by HEAD in the same attempt. If an earlier answer was lost, HEAD is sent before any byte is sent again.
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

  /// The general way: a separate function, so that a file on the straight way needs no memory for it.
  @inline(never)
  private func uploadGenerally(_ object: ObjectToStore) async throws -> UploadReceipt {
    try await judgingSignatures(of: object) { try await attempt(object) }
  }

  static func failure(of error: any Error) -> UploadFailure {
    switch error {
    case let failure as UploadFailure: failure
    case _ where error.isCancellation: .cut
    default: .failed(Failure(for: error))
    }
  }

  private func attempt(_ object: ObjectToStore) async throws -> UploadReceipt {
    guard object.expected.size <= Self.largestObject || AWSHost(settings.endpoint)?.region != nil else {
      throw Failure(.rejected, .fileTooLarge(size: object.expected.size, storage: settings.name))
    }
    if goesInParts(object) { return try await storeInParts(object) }
    return try await inTurn(object) { try await storeInOnePiece(object) }
  }

  package func goesInParts(_ object: ObjectToStore) -> Bool {
    object.expected.size >= settings.multipartThreshold || object.expected.size > Self.singlePutLimit
  }

  /// Reads a file and returns the SHA-256 of its bytes in hex. Nothing is sent. Errors are returned as values.
  public func digest(of object: ObjectToStore) async -> Result<String, UploadFailure> {
    do {
      if goesInParts(object) {
        let source = try await SourceFile.open(object, on: workers)
        if let known = readSums.digest(object, source) { return .success(known) }
      }
      let payload = try await Payload.read(object, .none, digest: true, on: workers)
      try await payload.confirmUnchanged(on: workers)
      let digest = payload.sums.sha256 ?? ""
      if goesInParts(object) { readSums.keep(digest: digest, object, payload.source) }
      return .success(digest)
    } catch {
      return .failure(Self.failure(of: error))
    }
  }
}

extension S3Bucket {
  /// - Parameter sent: the PUT that the straight way has sent; this function then continues with its answer.
  private func storeInOnePiece(_ object: ObjectToStore, _ sent: SentPut? = nil) async throws -> UploadReceipt {
    let payload =
      if let sent { sent.payload } else {
        try await Payload.read(object, settings.checksum, digest: settings.digest, on: workers)
      }
    // An upload in parts that was begun before the configuration changed.
    if let old = object.multipart { try await abort(old.id, of: object.address) }
    var isConditional = !settings.overwrite
    if mustLookFirst(object) || object.mayBeStored {
      let occupant = try await known(object)
      // The proof that conditions are kept may have been lost while HEAD was under way.
      let shown = try occupant.own(mustLookFirst(object) ? .lookFirst : .none)
      if let shown, let receipt = try await receipt(object, payload.source, shown, { payload.sums }) {
        trust.prove()
        return receipt
      }
      if shown != nil { isConditional = false }
    }
    // The answer is used once. A repeated request gets a new one.
    var sent = sent
    return try await write(object, conditional: isConditional) { isConditional in
      let sent = exchange(&sent, with: nil)
      let put = try sent?.exchange ?? put(of: object, payload, conditional: isConditional)
      return try await store(object, payload, by: put, sent?.answer)
    } counting: { shown in
      try await receipt(object, payload.source, shown) { payload.sums }
    }
  }

  private func put(of object: ObjectToStore, _ payload: Payload, conditional: Bool) throws(Failure) -> Exchange {
    let sums = payload.sums.parts[0]
    var headers = try headers(of: object, sha256: sums.sha256, conditional: conditional)
    headers += checksumHeaders(sums)
    return Exchange(
      method: "PUT", place: object.address, headers: headers, body: payload.body, payloadHash: sums.payloadHash,
      isConditional: conditional, answer: .stored(bytes: payload.body.count),
      hasLongBody: object.expected.size >= Job.leastLarge, sent: object.sent)
  }
}

/// The end that a PUT and a Complete share.
extension S3Bucket {
  /// Sends a PUT of an object's bytes, or the Complete of its parts. Returns the receipt if the answer, or HEAD after an answer that proves
  /// nothing, shows that the object is there.
  func store(
    _ object: ObjectToStore, _ payload: Payload, by request: Exchange, _ answer: Answer? = nil
  ) async throws -> UploadReceipt {
    let sums = payload.sums
    let (sending, answered): (Failpoint, Failpoint) =
      sums.isInParts ? (.completeSending, .completeAnswered) : (.putSending, .putAnswered)
    let response: HTTPResponse
    do {
      if answer == nil { sending.pass() }
      response = try await send(request, answer: answer)
      answered.pass()
    } catch let refusal as S3Refusal where refusal.doubt != nil {
      answered.pass()
      let stored = try await settled(object, sums, refusal.failure, etag: sums.isInParts ? nil : refusal.etag)
      try await payload.confirmUnchanged(on: workers)
      return receipt(object, sums, stored)
    } catch  where (error as? S3Refusal)?.isHashRefused == true || (error as? TransferError)?.kind == .readFailed {
      try await payload.confirmUnchanged(on: workers)
      throw error
    }
    do {
      try await payload.confirmUnchanged(on: workers)
    } catch let error as FileError {
      throw Self.mayHaveActed(error.failure)
    }
    let document = sums.isInParts ? XMLElement.parse(response.body) : nil
    guard sums.isInParts ? sums.fit(document?[settings.checksum.element]?.text) : fits(response, sums) else {
      throw UploadFailure.corrupted(corruption(.theObject))
    }
    try await confirmEncryption(response, of: object)
    let etag = sums.isInParts ? document?["ETag"]?.text : response.headers[first: "ETag"]
    var stored = StoredObject(etag: etag, version: Self.version(response.headers))
    if stored.etag != nil, etag?.hasPrefix("W/") == false {
      try await prove(object, sums, answerTo: sums.isInParts ? "CompleteMultipartUpload" : "PUT", etag: etag)
    } else {
      // Ceph's answer to a Complete may not describe the object. Then HEAD must show it.
      let doubt = Message.notAStorage(status: 200, method: request.method, doubt: .doubtNoEtag)
      stored = try await settled(
        object, sums, Failure(.destination, doubt, status: 200, mayHaveActed: true))
    }
    return receipt(object, sums, stored)
  }

  /// Returns the receipt for an object that shows our id, if it counts; nil if it must be overwritten.
  func receipt(
    _ object: ObjectToStore, _ source: SourceFile, _ shown: ShownObject, _ sums: () async throws -> ObjectSums?
  ) async throws -> UploadReceipt? {
    // The file is read only if that can make a difference.
    if !shown.hasSums || shown.size != object.expected.size {
      let none = ObjectSums(algorithm: settings.checksum, parts: [])
      guard try counts(occupancy(shown, none, source, object)) else { return nil }
    }
    guard let sums = try await sums(), try counts(occupancy(shown, sums, source, object)) else { return nil }
    try await source.confirm(sums.content, on: workers)
    return receipt(object, sums, StoredObject(shown.response))
  }

  /// True if the answer shows the checksum of these bytes, or none.
  private func fits(_ response: HTTPResponse, _ sums: ObjectSums) -> Bool {
    guard let shown = response.headers.bytes(first: settings.checksum.header) else { return true }
    if let base64 = sums.parts[0].base64, shown.elementsEqual(base64.utf8) { return true }
    return sums.fit(String(decoding: shown, as: UTF8.self))
  }
}

/// The straight way of a local file: read it, send it once, and return the receipt if the answer is a plain success.
///
/// Nearly all uploads are like this, and the general way, with its many functions that can wait, would cost more than the request itself.
/// Any other answer, and any error, goes to the general way, which continues as if it had sent the request.
extension S3Bucket {
  private struct SentPut {
    let payload: Payload
    let exchange: Exchange
    let answer: Answer
  }

  /// True if the general way would send the object by one PUT, without a request before it.
  func isStraight(_ object: ObjectToStore) -> Bool {
    object.isLocal && !goesInParts(object) && object.multipart == nil
      && !object.mayBeStored && !object.isProbe && trust.isProven && (settings.overwrite || object.hasOwnKey)
  }

  private func uploadStraight(_ object: ObjectToStore) async throws -> UploadReceipt {
    let payload = try await Payload.read(object, settings.checksum, digest: settings.digest, on: workers)
    let put = try put(of: object, payload, conditional: !settings.overwrite && trust.takesCondition)
    Failpoint.putSending.pass()
    let answer = await answer(to: put)
    if case .success(let response) = answer.result, isPlain(response, answer, put, payload) {
      Failpoint.putAnswered.pass()
      trust.stored()
      return receipt(object, payload.sums, StoredObject(response))
    }
    return try await judgingSignatures(of: object) {
      try await storeInOnePiece(object, SentPut(payload: payload, exchange: put, answer: answer))
    }
  }

  /// True if an answer is a success that needs no further check, and the file is unchanged.
  private func isPlain(_ response: HTTPResponse, _ answer: Answer, _ put: Exchange, _ payload: Payload) -> Bool {
    // If the storage had a problem during the request, its answer is no proof. Ignored: the general way meets the file's error again.
    S3Refusal.isSuccess(response, put.answer) && fits(response, payload.sums) && trust.isProven
      && (!asksForEncryption
        || WantedEncryption(configured, answer.contents?.customerKey)?.finding(in: response) == .fits)
      && (try? payload.source.isUntouched()) == true
  }
}

extension S3Bucket {
  func receipt(_ object: ObjectToStore, _ sums: ObjectSums, _ stored: StoredObject) -> UploadReceipt {
    UploadReceipt(object, sums, stored, at: now())
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

extension UploadReceipt {
  init(_ object: ObjectToStore, _ sums: ObjectSums, _ stored: StoredObject, at time: Timestamp) {
    let (sha256, checksum) = (sums.sha256, sums.checksum)
    let isCovered = sha256 != nil || checksum?.type == .full
    self.init(
      bucket: object.bucket, key: object.key, size: object.expected.size, etag: stored.etag, version: stored.version,
      sha256: sha256, checksum: checksum, crc64nvme: isCovered ? nil : sums.content.value,
      contentType: object.contentType, uploadedAt: time)
  }
}

struct StoredObject {
  var etag: String?
  var version: String?

  init(etag: String?, version: String?) {
    self.etag = etag.flatMap { S3Bucket.unquoted($0.utf8) }
    self.version = version
  }

  init(_ response: HTTPResponse) {
    etag = response.headers.bytes(first: "ETag").flatMap(S3Bucket.unquoted)
    version = S3Bucket.version(response.headers)
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
