import Jobs
import OpenSSL

extension ModelStorage {
  mutating func put(_ request: FarRequest, _ target: S3Target, at now: Duration) throws(S3Error) -> FarAnswer {
    try checkCondition(request, target.key, counts: options.keepsConditions)
    let body = try S3Body(request, options: options)
    let facts = ObjectFacts(request)
    let object = ModelObject(
      etag: etag(of: body.piece.md5), pieces: [body.piece], metadata: facts.metadata, headers: facts.headers,
      checksums: body.told.map { FarHeader($0.header, body.piece.checksum($0)) })
    let marks = store(object, under: target.key, at: now).marks
    return FarAnswer(200, headers: [FarHeader("ETag", "\"\(object.etag)\"")] + object.checksums + marks)
  }

  func show(_ request: FarRequest, _ target: S3Target) throws(S3Error) -> FarAnswer {
    guard let object = object(target) else {
      throw S3Error(404, "NoSuchKey", "The specified key does not exist.")
    }
    var headers = object.headers + object.versionHeader
    headers += object.metadata.map { FarHeader("x-amz-meta-" + $0.name, $0.value) }
    headers.append(FarHeader("ETag", "\"\(object.etag)\""))
    if request[header: "x-amz-checksum-mode"] == "ENABLED" { headers += object.checksums }
    guard request[header: "Range"] == "bytes=0-0", object.size > 0 else {
      return FarAnswer(200, headers: headers + [FarHeader("Content-Length", String(object.size))])
    }
    return FarAnswer(206, headers: headers + [FarHeader("Content-Length", "1")], body: [0])
  }

  private func object(_ target: S3Target) -> ModelObject? {
    guard let version = target["versionId"] else { return objects[target.key] }
    let all = [objects[target.key]].compactMap(\.self) + (older[target.key] ?? [])
    return all.first { $0.version == version }
  }

  mutating func delete(_ target: S3Target, at now: Duration) throws(S3Error) -> FarAnswer {
    guard let old = object(target) else { return FarAnswer(204) }
    let isNamed = target["versionId"] != nil
    if isNamed, old.headers[first: ModelObject.lockHeader] != nil {
      throw S3Error(403, "AccessDenied", "Access Denied because object protected by object lock.")
    }
    history.append(StorageEvent(at: now, key: target.key, object: nil, replaced: old))
    var rest = older[target.key] ?? []
    if objects[target.key] != old {
      rest.removeAll { $0 == old }
    } else if options.keepsVersions, !isNamed {
      rest.append(old)
      objects[target.key] = nil
    } else {
      objects[target.key] = rest.popLast()
    }
    older[target.key] = rest.isEmpty ? nil : rest
    return FarAnswer(204)
  }

  /// An ETag that no other upload gets, as with encryption by a KMS ("Object" in the S3 API reference).
  func etag(of sum: String) -> String { Hex.text(MD5.hash(data: Array("\(sum) \(history.count)".utf8))) }

  mutating func store(_ object: ModelObject, under key: String, at now: Duration) -> ModelObject {
    var object = object
    let old = objects[key]
    if options.keepsVersions {
      object.version = "version-\(history.count)"
      if let old { older[key] = (older[key] ?? []) + [old] }
    }
    history.append(StorageEvent(at: now, key: key, object: object, replaced: old))
    objects[key] = object
    return object
  }

  func checkCondition(_ request: FarRequest, _ key: String, counts: Bool) throws(S3Error) {
    guard let condition = request[header: "If-None-Match"] else { return }
    guard condition == "*" else { throw S3Error(501, "NotImplemented", "If-None-Match takes only *.") }
    guard counts, objects[key] != nil else { return }
    throw S3Error(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold.")
  }
}

struct ObjectFacts {
  var metadata: [FarHeader] = []
  var headers: [FarHeader] = []

  init(_ request: FarRequest) {
    let prefix = "x-amz-meta-"
    let kept = ["content-type", "content-disposition", "cache-control", "x-amz-storage-class"]
    for header in request.headers {
      let name = header.name.lowercased()
      if name.hasPrefix(prefix) {
        metadata.append(FarHeader(String(name.dropFirst(prefix.count)), header.value))
      } else if kept.contains(name) || name.hasPrefix(ModelObject.encryptionHeader)
        || name.hasPrefix("x-amz-object-lock-")
      {
        headers.append(FarHeader(name, header.value))
      }
    }
  }
}
