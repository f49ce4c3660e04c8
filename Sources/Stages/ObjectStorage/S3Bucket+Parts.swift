import HTTPTransfer
import Jobs
import Linux
import Messages
import OpenSSL
import Seams
import Settings
import XML

/// Large files are sent in parts ("Uploading and copying objects using multipart upload" in the S3 user guide).
///
/// The upload's id is durable before the first part is sent. A part that fails is sent again, and then ends the attempt. The next
/// attempt sends only the parts that the storage does not list.
extension S3Bucket {
  /// One attempt to store an object in parts.
  func storeInParts(_ object: ObjectToStore) async throws -> UploadReceipt {
    let source = try await workers.run { try SourceFile(opening: object) }
    var isConditional = !settings.overwrite
    var found: ShownObject?
    if isConditional || object.mayBeStored || object.multipart != nil {
      // HEAD is sent before any byte, so that none is sent in vain, and again before Complete, because some storages ignore the
      // condition there.
      found = try await known(object).own(isConditional ? .lookFirst : .none)
      if found != nil { isConditional = false }
    }
    // This is done even if our object exists: an earlier upload may have been completed although its answer was lost, and this
    // one was begun later. Completing it makes the same object again and leaves no upload behind. Aborting it would be less work,
    // but dangerous: after an error inside the storage, the upload that looks open may be the one whose parts the object consists
    // of (OpenStack Swift).
    if let (old, listed) = try await uploadToGoOnWith(object) {
      do {
        return try await send(object, source, old, listed, conditional: isConditional)
      } catch let refusal as S3Refusal where refusal.answer.code == S3Code.noSuchUpload {
        // The upload is gone, which listing could not show because it was refused.
      }
    }
    // An upload that is gone may have been completed after the HEAD above.
    if object.multipart != nil, found == nil { found = try await known(object).own(.none) }
    if let found, let receipt = try await receipt(object, source, found) {
      // The attempt that completed it was interrupted, so it did not look for other uploads of the job.
      if object.mayHaveUploads, let upload = object.multipart { await forgetOthers(than: upload.id, object) }
      return receipt
    }
    return try await send(object, source, try await begin(object, source), [:], conditional: isConditional)
  }

  private func send(
    _ object: ObjectToStore, _ source: SourceFile, _ upload: MultipartUpload, _ listed: [Int: ListedPart],
    conditional isConditional: Bool
  ) async throws -> UploadReceipt {
    let transfer = PartTransfer(
      bucket: self, object: object, source: source, upload: upload,
      plan: PartPlan(size: object.expected.size, partSize: upload.partSize), listed: listed,
      isNew: object.multipart == nil)
    async let digest = settings.digest ? wholeDigest(object, source) : nil
    let parts = try await transfer.run()
    let sha256 = try await digest
    let sums = ObjectSums(algorithm: settings.checksum, parts: parts.map(\.sums))
    try await source.confirm(sums.content, on: workers)
    let stored = try await complete(transfer, parts, conditional: isConditional)
    if object.mayHaveUploads { await forgetOthers(than: upload.id, object) }
    readSums.forget(object)
    return receipt(object, sums, stored, sha256: sha256)
  }

  /// Returns the upload that an earlier attempt began, with the parts that the storage has. An upload of other bytes or of
  /// another form is aborted.
  private func uploadToGoOnWith(_ object: ObjectToStore) async throws -> (MultipartUpload, [Int: ListedPart])? {
    guard let old = object.multipart else { return nil }
    // An upload with more parts than the storage allows can never be completed.
    let plan = PartPlan(size: object.expected.size, partSize: old.partSize)
    let isOfForm = settings.isOfForm(old, encryption: try encryptionMark())
    guard old.file.isUnwritten(since: object.expected), isOfForm, plan.count <= settings.maxParts else {
      try await abort(old.id, of: object)
      return nil
    }
    return try await listParts(of: old.id, object).map { (old, $0) }
  }

  /// Begins an upload and makes its id durable.
  private func begin(_ object: ObjectToStore, _ source: SourceFile) async throws -> MultipartUpload {
    if object.mayHaveUploads { try await abortForgotten(object) }
    let upload = try await create(object, source, partSize: plan(of: object).partSize)
    guard await object.began(upload) else { throw UploadFailure.cut }
    return upload
  }

  /// Divides a file into at most as many parts as the storage allows.
  ///
  /// - Throws: a failure for a file that is too large even for the largest parts.
  func plan(of object: ObjectToStore) throws(Failure) -> PartPlan {
    let size = object.expected.size
    let plan = PartPlan(size: size, wanted: settings.partSize, most: settings.maxParts)
    guard plan.partSize <= Self.singlePutLimit else {
      throw Failure(
        .rejected, .tooManyParts(size: size, parts: settings.maxParts, storage: settings.name))
    }
    return plan
  }

  /// Returns the SHA-256 of the whole file, for which the file is read once more.
  private func wholeDigest(_ object: ObjectToStore, _ source: SourceFile) async throws -> String? {
    if let known = readSums.digest(object, source) { return known }
    let running = RunningSums(.none, digest: true)
    let digest = try await source.sums(count: source.expected.size, running, on: workers).sha256
    if let digest { readSums.keep(digest: digest, object, source) }
    return digest
  }

  /// Returns the receipt for an object that shows our id, if it counts; nil if it must be overwritten.
  private func receipt(
    _ object: ObjectToStore, _ source: SourceFile, _ shown: ShownObject
  ) async throws -> UploadReceipt? {
    let size = object.expected.size
    // The file is read only if that can make a difference.
    let none = ObjectSums(algorithm: settings.checksum, parts: [])
    if !shown.hasSums || shown.size != size {
      guard try counts(occupancy(shown, none, sha256: nil, source, object)) else { return nil }
    }
    let plan =
      object.multipart.map { PartPlan(size: size, partSize: $0.partSize) }
      ?? PartPlan(size: size, wanted: settings.partSize, most: settings.maxParts)
    guard plan.count <= PartPlan.most else { return nil }
    let needsDigest = settings.digest || shown.sha256 != nil && object.sha256 == nil
    async let digest = needsDigest ? wholeDigest(object, source) : nil
    var parts: [Sums] = []
    for number in 1...plan.count {
      let part = plan.part(number)
      parts.append(try await sums(of: part, object, source))
    }
    let sha256 = try await digest
    let sums = ObjectSums(algorithm: settings.checksum, parts: parts)
    guard try counts(occupancy(shown, sums, sha256: sha256, source, object)) else { return nil }
    try await source.confirm(sums.content, on: workers)
    return receipt(object, sums, StoredObject(shown.response), sha256: sha256)
  }

  /// Returns the checksums of a part, for which it is read unless an earlier attempt has.
  func sums(of part: PartPlan.Part, _ object: ObjectToStore, _ source: SourceFile) async throws -> Sums {
    if let known = readSums.sums(of: part, object, source) { return known }
    let running = RunningSums(settings.checksum, isPart: true)
    let sums = try await source.sums(at: part.offset, count: part.count, running, on: workers)
    readSums.keep(sums, of: part, object, source)
    return sums
  }
}

/// The end of an upload in parts (CompleteMultipartUpload).
extension S3Bucket {
  /// Completes an object from exactly the parts that were sent.
  func complete(
    _ transfer: PartTransfer, _ parts: [PartTransfer.Sent], conditional: Bool
  ) async throws -> StoredObject {
    let object = transfer.object
    return try await inTurn(object) {
      var isConditional = conditional
      // Some storages ignore the condition of a Complete although they check that of a PUT, as Ceph before 18 does.
      if isConditional, try await known(object).own(.lookFirst) != nil { isConditional = false }
      return try await write(object, conditional: isConditional) {
        try await sendComplete(transfer, parts, conditional: $0)
      } counting: { _ in
        nil  // an object made again leaves no upload behind
      }
    }
  }

  private func sendComplete(
    _ transfer: PartTransfer, _ parts: [PartTransfer.Sent], conditional: Bool
  ) async throws -> StoredObject {
    let object = transfer.object
    let sums = ObjectSums(algorithm: settings.checksum, parts: parts.map(\.sums))
    let body = Array(Self.document(parts).utf8)
    var headers = [HTTPHeader("Content-Type", "application/xml")]
    if conditional { headers.append(HTTPHeader("If-None-Match", "*")) }
    if let checksum = sums.checksum, checksum.type == .full, transfer.upload.takesWholeChecksum {
      headers.append(HTTPHeader(settings.checksum.header, checksum.value))
      headers.append(HTTPHeader("x-amz-checksum-type", settings.checksum.typeInParts))
    }
    let response: HTTPResponse
    do {
      Failpoint.completeSending.pass()
      response = try await send(
        Exchange(
          method: "POST", place: object.address, query: [("uploadId", transfer.upload.id)], headers: headers,
          body: .bytes(body), payloadHash: Hex.text(SHA256.hash(data: body)), isConditional: conditional,
          answer: .document(.completed), silence: settings.completeTimeout))
      Failpoint.completeAnswered.pass()
    } catch let refusal as S3Refusal where refusal.answer.code == S3Code.noSuchUpload {
      // An earlier Complete may have succeeded although its answer was lost. Its parts were sent from the file as it is now.
      var begun = object
      begun.multipart = transfer.upload
      guard let shown = try await known(object).own(.none),
        occupancy(shown, sums, sha256: nil, transfer.source, begun) == .counts
      else { throw refusal }
      return StoredObject(shown.response)
    } catch let refusal as S3Refusal where refusal.doubt != nil {
      Failpoint.completeAnswered.pass()
      return try await settled(object, sums, refusal.failure)
    } catch let refusal as S3Refusal where refusal.endsUpload {
      await letGo(of: transfer.upload.id, object)
      throw refusal
    }
    return try await stored(object, sums, response)
  }

  /// Returns the stored object. If the answer does not describe it, as with Ceph, HEAD must show it.
  private func stored(_ object: ObjectToStore, _ sums: ObjectSums, _ response: HTTPResponse) async throws
    -> StoredObject
  {
    let result = XMLElement.parse(response.body)
    guard sums.fit(result?[settings.checksum.element]?.text) else {
      throw UploadFailure.corrupted(corruption(.theObject))
    }
    try await confirmEncryption(response, of: object)
    let etag = result?["ETag"]?.text
    let stored = StoredObject(etag: etag, version: Self.version(response.headers))
    guard stored.etag != nil, etag?.hasPrefix("W/") == false else {
      return try await settled(
        object, sums,
        Failure(
          .destination, .notAStorage(status: 200, method: "POST", doubt: AnswerDoubt.noETag.message), status: 200,
          mayHaveActed: true))
    }
    try await prove(object, sums, sha256: object.sha256, answerTo: "CompleteMultipartUpload", etag: etag)
    return stored
  }

  private static func document(_ parts: [PartTransfer.Sent]) -> String {
    var text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
    for part in parts {
      text += "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(XMLElement.escaped(part.etag))</ETag>"
      if part.showsChecksum, let checksum = part.sums.base64 {
        text += "<\(part.sums.algorithm.element)>\(checksum)</\(part.sums.algorithm.element)>"
      }
      text += "</Part>"
    }
    return text + "</CompleteMultipartUpload>"
  }
}
