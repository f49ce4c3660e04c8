import Jobs
import OpenSSL
import XML

extension ModelStorage {
  mutating func create(_ request: FarRequest, _ target: S3Target, wall: Timestamp) throws(S3Error) -> FarAnswer {
    let facts = ObjectFacts(request)
    var upload = ModelUpload(
      key: target.key, initiated: wall.rfc3339, metadata: facts.metadata, headers: facts.headers)
    if options.knowsChecksums, let name = request[header: "x-amz-checksum-algorithm"] {
      guard let algorithm = ChecksumName(rawValue: name.lowercased()) else {
        throw S3Error(400, "InvalidRequest", "Checksum algorithm provided is unsupported.")
      }
      let isFull = request[header: "x-amz-checksum-type"].map { $0 == "FULL_OBJECT" } ?? (algorithm == .crc64nvme)
      guard isFull == (algorithm == .crc64nvme) || algorithm == .crc32c else {
        throw S3Error(400, "InvalidRequest", "This checksum type cannot be used with the \(name) algorithm.")
      }
      upload.algorithm = algorithm
      upload.isComposite = !isFull
    }
    lastUpload += 1
    let id = "upload-\(lastUpload)"
    uploads[id] = upload
    return Self.document(
      "InitiateMultipartUploadResult", [("Bucket", options.bucket), ("Key", target.key), ("UploadId", id)])
  }

  mutating func receivePart(
    _ request: FarRequest, _ target: S3Target, _ id: String
  ) throws(S3Error) -> FarAnswer {
    guard let number = target["partNumber"].flatMap({ Int($0) }), (1...10_000).contains(number) else {
      throw S3Error(400, "InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive.")
    }
    var upload = try upload(id, target)
    let body = try S3Body(request, options: options)
    if let other = body.told.first(where: { $0 != upload.algorithm }) {
      throw S3Error(400, "InvalidRequest", "Checksum Type mismatch occurred, actual checksum Type: \(other.rawValue)")
    }
    upload.parts.removeAll { $0.number == number }
    upload.parts.append(ModelUpload.Part(number: number, piece: body.piece))
    upload.parts.sort { $0.number < $1.number }
    uploads[id] = upload
    var answer = FarAnswer(200, headers: [FarHeader("ETag", "\"\(body.piece.md5)\"")])
    if let algorithm = upload.algorithm {
      answer.headers.append(FarHeader(algorithm.header, body.piece.checksum(algorithm)))
    }
    return answer
  }

  func listParts(_ target: S3Target, _ id: String) throws(S3Error) -> FarAnswer {
    let upload = try upload(id, target)
    let most = target["max-parts"].flatMap { Int($0) } ?? 1000
    let after = target["part-number-marker"].flatMap { Int($0) } ?? 0
    let rest = upload.parts.filter { $0.number > after }
    let page = rest.prefix(most)
    var elements = [
      S3XML.element("PartNumberMarker", String(after)), S3XML.element("MaxParts", String(most)),
      S3XML.element("IsTruncated", String(page.count < rest.count)),
    ]
    if page.count < rest.count, let last = page.last {
      elements.append(S3XML.element("NextPartNumberMarker", String(last.number)))
    }
    elements += page.map { part in
      var values = [
        S3XML.element("PartNumber", String(part.number)), S3XML.element("ETag", "\"\(part.piece.md5)\""),
        S3XML.element("Size", String(part.piece.size)),
      ]
      if let algorithm = upload.algorithm {
        values.append(S3XML.element(algorithm.element, part.piece.checksum(algorithm)))
      }
      return "<Part>\(values.joined())</Part>"
    }
    return FarAnswer(200, type: "application/xml", S3XML.document("ListPartsResult", elements))
  }

  mutating func abort(_ target: S3Target, _ id: String) throws(S3Error) -> FarAnswer {
    _ = try upload(id, target)
    uploads[id] = nil
    return FarAnswer(204)
  }

  func listUploads(_ target: S3Target) -> FarAnswer {
    let prefix = target["prefix"] ?? ""
    let after = (target["key-marker"] ?? "", target["upload-id-marker"] ?? "")
    let most = target["max-uploads"].flatMap { Int($0) } ?? 1000
    let isEncoded = target["encoding-type"] == "url"
    func shown(_ key: String) -> String { isEncoded ? PercentEncoding.path(key) : key }
    let rest = uploads.entries.filter { $0.value.key.hasPrefix(prefix) && ($0.value.key, $0.name) > after }
      .sorted { ($0.value.key, $0.name) < ($1.value.key, $1.name) }
    let page = rest.prefix(most)
    var elements = [
      S3XML.element("Prefix", shown(prefix)), S3XML.element("MaxUploads", String(most)),
      S3XML.element("IsTruncated", String(page.count < rest.count)),
    ]
    if isEncoded { elements.append(S3XML.element("EncodingType", "url")) }
    elements += page.map { entry in
      "<Upload>" + S3XML.element("Key", shown(entry.value.key)) + S3XML.element("UploadId", entry.name)
        + S3XML.element("Initiated", entry.value.initiated) + "</Upload>"
    }
    return FarAnswer(200, type: "application/xml", S3XML.document("ListMultipartUploadsResult", elements))
  }

  /// Takes note that the caller hears an answer: it knows the upload that the answer names.
  mutating func noteHeard(_ answer: FarAnswer) {
    let text = String(decoding: answer.body, as: UTF8.self)
    guard text.contains("<InitiateMultipartUploadResult") else { return }
    for id in uploads.entries.map(\.name) where text.contains(S3XML.element("UploadId", id)) {
      uploads[id]?.isKnown = true
    }
  }

  /// Takes note that the daemon has died: it may not know any more what it was told.
  mutating func noteDeath() { for id in uploads.entries.map(\.name) { uploads[id]?.isKnown = false } }

  func upload(_ id: String, _ target: S3Target) throws(S3Error) -> ModelUpload {
    guard let upload = uploads[id], upload.key == target.key else {
      throw S3Error(404, "NoSuchUpload", "The specified upload does not exist.")
    }
    return upload
  }

  static func document(_ root: String, _ elements: [(String, String)]) -> FarAnswer {
    FarAnswer(
      200, type: "application/xml", S3XML.document(root, elements.map { S3XML.element($0.0, $0.1) }))
  }
}
