import FoundationEssentials
import HTTPTypes
import HummingbirdCore
import SystemPackage

/// The S3 endpoint: one bucket, in the path or before the host's name; every request is signed.
struct StorageSide: Sendable {
  let bucket: String
  let folder: ObjectFolder
  let parts: PartsSide
  let dialect: Dialect
  let rules: BucketRules
  let signature: SignatureCheck
  let now: @Sendable () -> Date

  /// Answers a request.
  /// - Throws: ``StorageError`` for a refusal; any other error is a fault of the sandbox.
  func respond(to request: Request) async throws -> Response {
    let payload = try signature.verify(request.head, now: now())
    try dialect.check(request)
    var target = try ObjectTarget(Self.target(of: request, bucket: bucket))
    target.query.removeAll { $0.name.hasPrefix("X-Amz-") }
    guard target.bucket == bucket else {
      throw StorageError(
        404, "NoSuchBucket", "The specified bucket does not exist.", details: ["BucketName": target.bucket])
    }
    try rules.check(request)
    if target.key.isEmpty { return try await bucketAnswer(request, target) }
    if let response = try await parts.respond(to: request, target, payload) { return response }
    // A sub-resource (?uploads, ?acl …) is another operation than its method names.
    if let name = target.query.first(where: { $0.name != "x-id" })?.name {
      throw StorageError(501, "NotImplemented", "The sandbox knows nothing of ?\(name).")
    }
    switch request.method {
    case .put:
      return try await ObjectUpload(request, key: target.key, payload: payload, now: now(), dialect: dialect)
        .store(in: folder)
    case .head, .get:
      guard let record = try await folder.record(of: target.key) else { throw StorageError.noSuchKey }
      try ObjectEncryption.check(request, of: record.encryption)
      let shows = request.headers["x-amz-checksum-mode"] == "ENABLED" && dialect.checksums.isShown
      let headers = record.responseHeaders(etag: dialect.shown(record.etag), showingChecksums: shows)
      if request.method == .head { return Response(status: .ok, headers: headers) }
      return try folder.answer(to: request, target.key, size: record.size, headers)
    case .delete:
      try await folder.remove(target.key)
      return Response(status: .noContent)
    default: throw StorageError.methodNotAllowed
    }
  }

  /// `/BUCKET/KEY?QUERY`, even if the bucket was before the host's name.
  static func target(of request: Request, bucket: String) -> String {
    let target = request.head.path ?? "/"
    let isVirtual = request.head.authority?.hasPrefix(bucket + ".") ?? false
    return isVirtual ? "/" + bucket + target : target
  }

  private func bucketAnswer(_ request: Request, _ target: ObjectTarget) async throws -> Response {
    switch request.method {
    case .head: return Response(status: .ok)
    case .get where target["uploads"] != nil: return try await parts.listUploads(target)
    case .get: throw StorageError(501, "NotImplemented", "The sandbox lists objects at /_admin/objects.")
    default: throw StorageError.methodNotAllowed
    }
  }
}

extension StorageError {
  static let methodNotAllowed = StorageError(
    405, "MethodNotAllowed", "The specified method is not allowed against this resource.")
}

extension ObjectRecord {
  func responseHeaders(etag: String, showingChecksums: Bool) -> HTTPFields {
    var fields = HTTPFields(headers)
    fields.add("etag", etag)
    fields.add("content-length", String(size))
    fields.add("last-modified", BasicTime.header(lastModified))
    fields.add("accept-ranges", "bytes")
    for (name, value) in encryption ?? [:] { fields.add(name, value) }
    for (name, value) in metadata { fields.add("x-amz-meta-" + name, value) }
    if showingChecksums {
      for (algorithm, value) in checksums ?? [:] {
        fields.add("x-amz-checksum-" + algorithm, value)
        fields.add("x-amz-checksum-type", ObjectRecord.type(ofChecksum: value))
      }
    }
    return fields
  }
}
