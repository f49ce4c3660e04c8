import Crypto
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// A PUT of an object: the body goes to a file as it comes, is hashed on the way, and becomes an object only if it is right.
struct ObjectUpload: Sendable {
  private let request: Request
  private let key: String
  private let payload: SignatureCheck.Payload
  private let now: Date
  private let replacing: Bool

  /// Reads the head.
  ///
  /// - Throws: what S3 answers to a PUT that cannot be taken, before any of the body is read.
  init(_ request: Request, key: String, payload: SignatureCheck.Payload, now: Date) throws(StorageError) {
    let headers = request.headers
    guard headers["content-length"] != nil else {
      throw StorageError(411, "MissingContentLength", "You must provide the Content-Length HTTP header.")
    }
    if headers["x-amz-copy-source"] != nil {
      throw StorageError(501, "NotImplemented", "The sandbox does not copy objects.")
    }
    let condition = headers["if-none-match"]
    guard condition == nil || condition == "*" else {
      throw StorageError(501, "NotImplemented", "If-None-Match takes only * with a PUT.")
    }
    replacing = condition == nil
    self.request = request
    self.key = key
    self.payload = payload
    self.now = now
  }

  /// Takes the body in and answers.
  func store(in folder: ObjectFolder) async throws -> Response {
    // Asked again at the end, where no other upload can come between; here it spares the client the body.
    if !replacing, try await folder.record(of: key) != nil { throw StorageError.precondition }
    let body = try await folder.begin()
    let record: ObjectRecord
    do {
      record = try await receive(body, folder)
    } catch {
      try await folder.discard(body)
      throw error
    }
    try await folder.commit(body, as: record, replacing: replacing)
    return Response(status: .ok, headers: HTTPFields(["etag": "\"\(record.etag)\""]))
  }

  private func receive(_ body: ObjectFolder.Incoming, _ folder: ObjectFolder) async throws -> ObjectRecord {
    var size: Int64 = 0
    var sha256 = SHA256()
    var md5 = Insecure.MD5()  // S3's ETag is an MD5; nothing is protected by it
    for try await chunk in request.body {
      let bytes = Array(chunk.readableBytesView)
      size += Int64(bytes.count)
      sha256.update(data: bytes)
      md5.update(data: bytes)
      try await folder.add(bytes, to: body)
    }
    let hash = Array(sha256.finalize())
    let etag = Array(md5.finalize())
    try check(sha256: hash, md5: etag)
    let headers = CanonicalRequest.headers(of: request.head)
    let kept = ["content-type", "content-encoding", "content-disposition", "cache-control", "x-amz-storage-class"]
    return ObjectRecord(
      key: key, size: size, etag: PercentEncoding.hex(etag), sha256: PercentEncoding.hex(hash), lastModified: now,
      metadata: try Self.metadata(headers),
      headers: headers.filter { kept.contains($0.key) }.mapValues { $0.joined(separator: ", ") })
  }

  /// S3 takes 2 KB of names and values ("Working with object metadata" in the S3 user guide).
  private static func metadata(_ headers: [String: [String]]) throws(StorageError) -> [String: String] {
    let prefix = "x-amz-meta-"
    let metadata = Dictionary(
      uniqueKeysWithValues: headers.filter { $0.key.hasPrefix(prefix) }
        .map { (String($0.key.dropFirst(prefix.count)), $0.value.joined(separator: ",")) })
    let size = metadata.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    guard size <= 2048 else {
      throw StorageError(
        400, "MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size.",
        details: ["Size": String(size), "MaxSizeAllowed": "2048"])
    }
    return metadata
  }

  private func check(sha256: [UInt8], md5: [UInt8]) throws(StorageError) {
    let found = PercentEncoding.hex(sha256)
    if case .sha256(let told) = payload, told != found {
      throw StorageError(
        400, "XAmzContentSHA256Mismatch",
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
        details: ["ClientComputedContentSHA256": told, "S3ComputedContentSHA256": found])
    }
    for (name, computed) in [("content-md5", md5), ("x-amz-checksum-sha256", sha256)] {
      guard let told = request.headers[name], told != Data(computed).base64EncodedString() else { continue }
      throw StorageError(400, "BadDigest", "The \(name) you specified did not match what we received.")
    }
  }
}
