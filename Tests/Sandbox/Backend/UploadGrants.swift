import FoundationEssentials
import HTTPTypes
import HummingbirdCore

/// The grants of uploads: presigned URLs of the sandbox's own storage, under the key that is suggested.
struct UploadGrants: Sendable {
  static let path = "/uploads"

  let bucket: String
  let uploads: UploadFolder
  let signature: SignatureCheck
  let seconds: Int
  /// The bytes of a part of a larger file; nil if each file goes in one piece.
  let part: Int64?

  /// Answers a request for a grant. An upload in parts of the same key, from an earlier grant, ends.
  func answer(_ asked: JSONValue, at host: String, _ now: Date) async throws -> Response {
    guard let id = asked[text: "id"], let key = asked[text: "key"], let size = asked[int: "size"], size >= 0 else {
      return BackendSide.problem(422, "a grant needs id, key and size")
    }
    let path = "/\(bucket)/" + PercentEncoding.encode(key.utf8, also: [UInt8(ascii: "/")])
    func url(_ method: HTTPRequest.Method, _ query: [(String, String)], _ headers: [String: String]) throws -> String {
      try signature.presigned(
        method, host: host, path: path, query: query, headers: headers, seconds: seconds, now: now)
    }
    var grant = Grant(
      expiresAt: BasicTime.extended(now.addingTimeInterval(Double(seconds))), locator: "http://\(host)\(path)")
    guard let part, size > part else {
      grant.headers["x-amz-meta-waybill-id"] = id
      if let digest = asked[text: "sha256"].flatMap({ PercentEncoding.bytes(hex: $0) }) {
        grant.headers["x-amz-checksum-sha256"] = Data(digest).base64EncodedString()
      }
      grant.url = try url(.put, [], grant.headers)
      return JSONAnswer.response(.ok, grant)
    }
    for other in try await uploads.all() where other.upload.key == key { try await uploads.abort(other.upload.id) }
    let upload = UploadRecord(
      id: UUID().uuidString.lowercased(), key: key, initiated: now, metadata: ["waybill-id": id], headers: [:])
    try await uploads.create(upload)
    let query = [("uploadId", upload.id)]
    let urls = try (1...(size + part - 1) / part).map { try url(.put, query + [("partNumber", String($0))], [:]) }
    grant.parts = Grant.Parts(size: part, urls: urls)
    grant.complete = Grant.Complete(url: try url(.post, query, [:]))
    return JSONAnswer.response(.ok, grant)
  }

  /// Whether the storage has what a registration is about, in its size.
  func hasStored(_ registration: JSONValue) async throws -> Bool {
    guard let key = registration[text: "key"] else { return false }
    return try await uploads.objects.record(of: key)?.size == registration[int: "size"]
  }
}

private struct Grant: Encodable {
  struct Parts: Encodable {
    var size: Int64
    var urls: [String]
  }

  struct Complete: Encodable {
    var url: String
  }

  var url: String?
  var parts: Parts?
  var complete: Complete?
  var headers: [String: String] = [:]
  var expiresAt: String
  var locator: String

  enum CodingKeys: String, CodingKey {
    case url, parts, complete, headers, locator
    case expiresAt = "expires_at"
  }
}
