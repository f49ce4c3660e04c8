import HTTPTransfer
import Jobs
import Linux
import Messages
import OpenSSL
import Seams
import Settings
import XML

/// Large files are sent in parts ("Uploading and copying objects using multipart upload" in the S3 user guide). The upload's id is durable
/// before the first part is sent; the next attempt sends only the parts that the storage does not list.
extension S3Bucket {
  func storeInParts(_ object: ObjectToStore) async throws -> UploadReceipt {
    let source = try await SourceFile.open(object, on: workers)
    var isConditional = !settings.overwrite
    var found: ShownObject?
    if isConditional || object.mayBeStored || object.multipart != nil {
      // HEAD is sent before any byte, so that none is sent in vain, and again before Complete, because some storages ignore the
      // condition there.
      found = try await known(object).own(isConditional ? .lookFirst : .none)
      if found != nil { isConditional = false }
    }
    // An open upload is continued even if our object exists, e.g. from an earlier upload whose answer was lost. Completing the open one
    // makes the same object again and leaves no upload behind. Aborting would be less work, but dangerous: after an error inside the
    // storage, the object may consist of the parts of the upload that looks open (OpenStack Swift).
    if let (old, listed) = try await uploadToGoOnWith(object) {
      do {
        return try await send(object, source, old, listed, conditional: isConditional)
      } catch let refusal as S3Refusal where refusal.answer.code == S3Code.noSuchUpload {
        // The upload is gone, which a refused listing could not show.
      }
    }
    // An upload that is gone may have been completed after the HEAD above.
    if object.multipart != nil, found == nil { found = try await known(object).own(.none) }
    if let found,
      let receipt = try await receipt(object, source, found, { try await wholeSums(object, source, found) })
    {
      // The attempt that completed the object was interrupted before it looked for other uploads.
      if let upload = object.multipart { await forgetOthers(than: upload.id, object) }
      return receipt
    }
    return try await send(object, source, try await begin(object, source), [:], conditional: isConditional)
  }

  private func send(
    _ object: ObjectToStore, _ source: SourceFile, _ upload: MultipartUpload, _ listed: [Int: ListedPart],
    conditional isConditional: Bool
  ) async throws -> UploadReceipt {
    let transfer = PartTransfer(
      bucket: self, object: object, source: source, upload: upload, listed: listed, isNew: object.multipart == nil)
    async let digest = settings.digest ? wholeDigest(object, source) : nil
    let parts = try await transfer.run()
    let receipt = try await complete(transfer, parts, digest: try await digest, conditional: isConditional)
    await forgetOthers(than: upload.id, object)
    readSums.forget(object)
    return receipt
  }

  /// After the object is stored, aborts other uploads of the job, whose beginning was not recorded.
  private func forgetOthers(than id: String, _ object: ObjectToStore) async {
    // Ignored: the object is stored, even if an upload remains.
    if object.mayHaveUploads { try? await abortForgotten(object, except: id) }
  }

  /// Returns the upload that an earlier attempt began, with the parts that the storage has. An upload of other bytes or of
  /// another form is aborted.
  private func uploadToGoOnWith(_ object: ObjectToStore) async throws -> (MultipartUpload, [Int: ListedPart])? {
    guard let old = object.multipart else { return nil }
    // An upload with more parts than the storage allows can never be completed.
    let plan = PartPlan(size: object.expected.size, partSize: old.partSize)
    let isOfForm = settings.isOfForm(old, encryption: try encryptionMark())
    guard old.file.isUnwritten(since: object.expected), isOfForm, plan.count <= settings.maxParts else {
      try await abort(old.id, of: object.address)
      return nil
    }
    return try await listParts(of: old.id, object.address).map { (old, $0) }
  }

  private func begin(_ object: ObjectToStore, _ source: SourceFile) async throws -> MultipartUpload {
    if object.mayHaveUploads { try await abortForgotten(object) }
    let upload = try await create(object, source, partSize: plan(of: object).partSize)
    guard await object.began(upload) else { throw UploadFailure.cut }
    return upload
  }

  /// Divides a file into at most as many parts as the storage allows; throws for a file that is too large even for the largest parts.
  func plan(of object: ObjectToStore) throws(Failure) -> PartPlan {
    let size = object.expected.size
    let plan = PartPlan(size: size, wanted: settings.partSize, most: settings.maxParts)
    guard plan.partSize <= Self.singlePutLimit else {
      throw Failure(
        .rejected, .tooManyParts(size: size, parts: settings.maxParts, storage: settings.name))
    }
    return plan
  }

  /// Returns the SHA-256 of the whole file, for which it is read unless an earlier attempt has.
  private func wholeDigest(_ object: ObjectToStore, _ source: SourceFile) async throws -> String? {
    if let known = readSums.digest(object, source) { return known }
    let running = RunningSums(.none, digest: true)
    let digest = try await source.sums(count: source.expected.size, running, on: workers).sha256
    if let digest { readSums.keep(digest: digest, object, source) }
    return digest
  }

  /// Returns the checksums of the file's bytes in parts, to compare an object with; nil for more parts than an object can have.
  private func wholeSums(
    _ object: ObjectToStore, _ source: SourceFile, _ shown: ShownObject
  ) async throws -> ObjectSums? {
    let size = object.expected.size
    let plan =
      object.multipart.map { PartPlan(size: size, partSize: $0.partSize) }
      ?? PartPlan(size: size, wanted: settings.partSize, most: settings.maxParts)
    guard plan.count <= PartPlan.most else { return nil }
    let needsDigest = settings.digest || shown.sha256 != nil && object.sha256 == nil
    async let digest = needsDigest ? wholeDigest(object, source) : nil
    var parts: [Sums] = []
    for number in 1...plan.count { parts.append(try await sums(of: plan.part(number), object, source)) }
    return ObjectSums(algorithm: settings.checksum, parts: parts, digest: try await digest)
  }

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
    _ transfer: PartTransfer, _ parts: [PartTransfer.Sent], digest: String? = nil, conditional: Bool
  ) async throws -> UploadReceipt {
    let object = transfer.object
    let sums = ObjectSums(algorithm: settings.checksum, parts: parts.map(\.sums), digest: digest)
    try await transfer.source.confirm(sums.content, on: workers)
    let payload = Payload(source: transfer.source, body: .none, sums: sums)
    let body = Array(Self.document(parts).utf8)
    return try await inTurn(object) {
      var isConditional = conditional
      // Some storages ignore the condition of a Complete although they check that of a PUT, as Ceph before 18 does.
      if isConditional, try await known(object).own(.lookFirst) != nil { isConditional = false }
      return try await write(object, conditional: isConditional) {
        try await sendComplete(transfer.upload, body, object, payload, conditional: $0)
      } counting: { _ in
        nil  // an object made again leaves no upload behind
      }
    }
  }

  private func sendComplete(
    _ upload: MultipartUpload, _ body: [UInt8], _ object: ObjectToStore, _ payload: Payload, conditional: Bool
  ) async throws -> UploadReceipt {
    var headers = [HTTPHeader("Content-Type", "application/xml")]
    if conditional { headers.append(HTTPHeader("If-None-Match", "*")) }
    if let checksum = payload.sums.checksum, checksum.type == .full, upload.takesWholeChecksum {
      headers.append(HTTPHeader(settings.checksum.header, checksum.value))
      headers.append(HTTPHeader("x-amz-checksum-type", settings.checksum.typeInParts))
    }
    let request = Exchange(
      method: "POST", place: object.address, query: [("uploadId", upload.id)], headers: headers, body: .bytes(body),
      payloadHash: Hex.text(SHA256.hash(data: body)), isConditional: conditional, answer: .document(.completed),
      silence: settings.completeTimeout)
    do {
      return try await store(object, payload, by: request)
    } catch let refusal as S3Refusal where refusal.answer.code == S3Code.noSuchUpload {
      // An earlier Complete may have succeeded although its answer was lost. Its parts were sent from the file as it is now.
      var begun = object
      begun.multipart = upload
      guard let shown = try await known(object).own(.none),
        occupancy(shown, payload.sums, payload.source, begun) == .counts
      else { throw refusal }
      return receipt(object, payload.sums, StoredObject(shown.response))
    } catch let refusal as S3Refusal where refusal.endsUpload {
      await letGo(of: upload.id, object)
      throw refusal
    }
  }

  static func document(_ parts: [PartTransfer.Sent]) -> String {
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
