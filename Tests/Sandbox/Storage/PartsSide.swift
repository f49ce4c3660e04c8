import FoundationEssentials
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Uploads in parts, as in S3: begin, send, list, complete and abort.
struct PartsSide: Sendable {
  private static let bodyLimit = 2 << 20

  let bucket: String
  let folder: UploadFolder
  let dialect: Dialect
  let now: @Sendable () -> Date

  /// Answers a request about an upload; returns nil for any other request.
  func respond(to request: Request, _ target: ObjectTarget, _ payload: SignatureCheck.Payload) async throws -> Response?
  {
    switch (request.method, target["uploads"], target["uploadId"]) {
    case (.post, .some, nil): return try await create(request, target)
    case (.put, nil, .some(let id)): return try await receive(request, target, id, payload)
    case (.get, nil, .some(let id)): return try await list(request, target, id)
    case (.post, nil, .some(let id)): return try await complete(request, target, id)
    case (.delete, nil, .some(let id)):
      _ = try await folder.upload(id, of: target.key)
      try await folder.abort(id)
      return Response(status: .noContent)
    default: return nil
    }
  }

  private func create(_ request: Request, _ target: ObjectTarget) async throws -> Response {
    if try !dialect.replaces(request, dialect.conditions.create),
      try await folder.objects.record(of: target.key) != nil
    {
      throw StorageError.precondition
    }
    let facts = try ObjectFacts(request, dialect)
    let algorithm = request.headers["x-amz-checksum-algorithm"]?.lowercased()
    guard algorithm.map(BodyReceipt.algorithms.contains) ?? true else {
      throw StorageError(400, "InvalidRequest", "Checksum algorithm provided is unsupported.")
    }
    let type = algorithm.map {
      request.headers["x-amz-checksum-type"] ?? ($0 == "crc64nvme" ? "FULL_OBJECT" : "COMPOSITE")
    }
    guard !(algorithm == "sha256" && type == "FULL_OBJECT"), !(algorithm == "crc64nvme" && type == "COMPOSITE") else {
      throw StorageError(
        400, "InvalidRequest", "The \(type ?? "") checksum type cannot be used with the \(algorithm ?? "") algorithm.")
    }
    if let algorithm, let type, let refusal = dialect.checksums.refusedTypes[algorithm]?[type] { throw refusal }
    let upload = UploadRecord(
      id: UUID().uuidString.lowercased(), key: target.key, initiated: now(), metadata: facts.metadata,
      headers: facts.headers, algorithm: algorithm, type: type, encryption: try ObjectEncryption.asked(by: request))
    try await folder.create(upload)
    var response = Self.answer(
      "InitiateMultipartUploadResult",
      [XML.element("Bucket", bucket), XML.element("Key", target.key), XML.element("UploadId", upload.id)])
    if dialect.checksums.isNamedAtCreate, let algorithm, let type {
      response.headers.add("x-amz-checksum-algorithm", algorithm.uppercased())
      response.headers.add("x-amz-checksum-type", type)
    }
    return response
  }

  private func receive(
    _ request: Request, _ target: ObjectTarget, _ id: String, _ payload: SignatureCheck.Payload
  ) async throws -> Response {
    try ObjectUpload.checkHead(request)
    guard let number = target["partNumber"].flatMap({ Int($0) }), (1...dialect.mostParts).contains(number) else {
      throw StorageError(
        400, "InvalidArgument", "Part number must be an integer between 1 and \(dialect.mostParts), inclusive.")
    }
    let upload = try await folder.upload(id, of: target.key)
    try ObjectEncryption.check(request, ofUpload: upload.encryption)
    let body = try await folder.objects.begin()
    let receipt: BodyReceipt
    do {
      receipt = try await BodyReceipt.receive(
        request, payload, as: (dialect, isPart: true), into: body, of: folder.objects)
      try checkSum(of: receipt, upload)
    } catch {
      try await folder.objects.discard(body)
      throw error
    }
    let part = PartRecord(
      number: number, size: receipt.size, etag: ObjectEncryption.etag(receipt.etag, upload.encryption),
      lastModified: now(),
      checksum: upload.algorithm.flatMap(receipt.checksum))
    try await folder.add(body, as: part, to: id)
    var response = Response(status: .ok, headers: HTTPFields(["etag": dialect.shown(part.etag)]))
    if let algorithm = upload.algorithm, let value = part.checksum {
      response.headers.add("x-amz-checksum-" + algorithm, value)
    }
    return response
  }

  /// Refuses a part whose checksum is of another algorithm than its upload's, or is missing where it is needed (raw answers of AWS:
  /// versity/versitygw issue 1342).
  private func checkSum(of receipt: BodyReceipt, _ upload: UploadRecord) throws(StorageError) {
    let other = receipt.told.keys.first { $0 != upload.algorithm }
    let isMissing = upload.algorithm.map { receipt.told[$0] == nil && dialect.support(of: $0, inPart: true).isKept }
    let isNeeded = upload.type == "COMPOSITE" || dialect.checksums.isNeededWithParts
    guard other != nil || isMissing == true && isNeeded else { return }
    throw StorageError(
      400, "InvalidRequest",
      "Checksum Type mismatch occurred, expected checksum Type: \(upload.algorithm ?? "null"), actual checksum Type: \(other ?? "null")"
    )
  }

  private func list(_ request: Request, _ target: ObjectTarget, _ id: String) async throws -> Response {
    let upload = try await folder.upload(id, of: target.key)
    // The key is needed for the checksums alone.
    try ObjectEncryption.check(request, ofUpload: upload.encryption, isNeeded: upload.algorithm != nil)
    let most = min(max(target["max-parts"].flatMap { Int($0) } ?? 1000, 1), 1000)
    let after = target["part-number-marker"].flatMap { Int($0) } ?? 0
    let rest = try await folder.parts(of: id).filter { $0.number > after }
    let page = rest.prefix(most)
    var elements = [
      XML.element("Bucket", bucket), XML.element("Key", target.key), XML.element("UploadId", id),
      XML.element("PartNumberMarker", String(after)), XML.element("MaxParts", String(most)),
      XML.element("IsTruncated", String(page.count < rest.count)),
    ]
    if page.count < rest.count, let last = page.last {
      elements.append(XML.element("NextPartNumberMarker", String(last.number)))
    }
    elements += page.map { part in
      var values = [
        XML.element("PartNumber", String(part.number)),
        XML.element("LastModified", BasicTime.extended(part.lastModified)), XML.element("ETag", "\"\(part.etag)\""),
        XML.element("Size", String(part.size)),
      ]
      if let algorithm = upload.algorithm, let value = part.checksum {
        values.append(XML.element("Checksum" + algorithm.uppercased(), value))
      }
      return "<Part>" + values.joined() + "</Part>"
    }
    return Self.answer("ListPartsResult", elements)
  }

  private func complete(_ request: Request, _ target: ObjectTarget, _ id: String) async throws -> Response {
    let replacing = try dialect.replaces(request, dialect.conditions.complete)
    if dialect.completesAgain, let made = try await folder.objects.record(of: target.key), made.upload == id {
      guard replacing else { throw StorageError.precondition }
      return completed(made)
    }
    let upload = try await folder.upload(id, of: target.key)
    try ObjectEncryption.check(request, ofUpload: upload.encryption, isNeeded: upload.algorithm != nil)
    let body = try await request.body.collect(upTo: Self.bodyLimit)
    let parts = try chosen(
      try PartList.parse(String(buffer: body)), from: try await folder.parts(of: id), upload)
    let told = upload.algorithm.flatMap { request.headers["x-amz-checksum-" + $0] }
    try checkSum(atEnd: told, upload, request)
    let record: ObjectRecord
    do {
      record = try await folder.complete(
        upload, parts, replacing: replacing, now: now(), as: dialect, told: told)
    } catch let error as StorageError where error == .precondition && dialect.conditions.endUpload {
      try await folder.abort(id)
      throw error
    }
    return completed(record)
  }

  private func completed(_ record: ObjectRecord) -> Response {
    var elements = [
      XML.element("Bucket", bucket), XML.element("Key", record.key), XML.element("ETag", dialect.shown(record.etag)),
    ]
    for (algorithm, value) in record.checksums ?? [:] {
      elements.append(XML.element("Checksum" + algorithm.uppercased(), value))
      elements.append(XML.element("ChecksumType", ObjectRecord.type(ofChecksum: value)))
    }
    return Self.answer("CompleteMultipartUploadResult", elements)
  }

  /// Refuses a checksum of the whole object that the service does not take with the end of an upload.
  private func checkSum(atEnd told: String?, _ upload: UploadRecord, _ request: Request) throws(StorageError) {
    guard told != nil else { return }
    if case .refused(let error) = dialect.checksums.complete { throw error }
    guard let error = dialect.checksums.typeIsMissing, upload.type == "FULL_OBJECT", upload.algorithm != "crc64nvme"
    else { return }
    guard request.headers["x-amz-checksum-type"] == "FULL_OBJECT" else { throw error }
  }

  private func chosen(
    _ wanted: [PartList.Part], from parts: [PartRecord], _ upload: UploadRecord
  ) throws(StorageError) -> [PartRecord] {
    guard !wanted.isEmpty else { throw PartList.malformed }
    guard zip(wanted, wanted.dropFirst()).allSatisfy({ $0.number < $1.number }) else {
      throw StorageError(400, "InvalidPartOrder", "The list of parts was not in ascending order.")
    }
    var chosen: [PartRecord] = []
    for part in wanted {
      guard let there = parts.first(where: { $0.number == part.number }), there.etag == part.etag else {
        throw StorageError(400, "InvalidPart", "One or more of the specified parts could not be found.")
      }
      if let algorithm = upload.algorithm, upload.type == "COMPOSITE", part.checksum == nil {
        throw StorageError(
          400, "InvalidRequest",
          "The upload was created using a \(algorithm) checksum. The complete request must include the checksum for each "
            + "part. It was missing for part \(part.number) in the request.")
      }
      if upload.algorithm != nil, dialect.checksums.isNeededAtComplete, part.checksum == nil {
        throw StorageError(400, "InvalidPart", "The checksum of part \(part.number) is missing.")
      }
      if let told = part.checksum, told != there.checksum {
        throw StorageError(400, "InvalidPart", "The checksum of part \(part.number) is another one.")
      }
      chosen.append(there)
    }
    if dialect.needsEqualParts, let first = chosen.first?.size,
      chosen.dropLast().contains(where: { $0.size != first }) || chosen.last.map({ $0.size > first }) == true
    {
      throw StorageError(400, "InvalidPart", "All non-trailing parts must have the same length.")
    }
    if let small = chosen.dropLast().first(where: { $0.size < dialect.leastPart }) {
      throw StorageError(
        400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size",
        details: ["PartNumber": String(small.number), "ProposedSize": String(small.size)])
    }
    return chosen
  }

  func listUploads(_ target: ObjectTarget) async throws -> Response {
    let prefix = target["prefix"] ?? ""
    let most = min(max(target["max-uploads"].flatMap { Int($0) } ?? 1000, 1), 1000)
    let after = (target["key-marker"] ?? "", target["upload-id-marker"] ?? "")
    let rest = try await folder.all().map(\.upload).filter {
      $0.key.utf8.starts(with: prefix.utf8) && ($0.key, $0.id) > after
    }
    let page = rest.prefix(most)
    let isEncoded = target["encoding-type"] == "url"
    func shown(_ key: String) -> String {
      // As AWS does it: a space becomes a plus.
      isEncoded ? PercentEncoding.encode(key.utf8, also: [0x20, UInt8(ascii: "/")]).replacing(" ", with: "+") : key
    }
    var elements = [
      XML.element("Bucket", bucket), XML.element("Prefix", shown(prefix)), XML.element("MaxUploads", String(most)),
      XML.element("IsTruncated", String(page.count < rest.count)),
    ]
    if isEncoded { elements.append(XML.element("EncodingType", "url")) }
    if page.count < rest.count, let last = page.last {
      elements.append(XML.element("NextKeyMarker", shown(last.key)))
      elements.append(XML.element("NextUploadIdMarker", last.id))
    }
    elements += page.map { upload in
      "<Upload>" + XML.element("Key", shown(upload.key)) + XML.element("UploadId", upload.id)
        + XML.element("Initiated", BasicTime.extended(upload.initiated)) + "</Upload>"
    }
    return Self.answer("ListMultipartUploadsResult", elements)
  }

  private static func answer(_ root: String, _ elements: [String]) -> Response {
    Response(
      status: .ok, headers: HTTPFields(["content-type": "application/xml"]),
      body: ResponseBody(byteBuffer: ByteBuffer(string: XML.document(root, elements))))
  }
}
