import FoundationEssentials
import HTTPTypes
import HummingbirdCore

/// A PUT of an object: the body is written to a file as it comes, is hashed on the way, and becomes an object only if it is
/// correct.
struct ObjectUpload: Sendable {
  private let request: Request
  private let key: String
  private let payload: SignatureCheck.Payload
  private let now: Date
  private let dialect: Dialect
  private let replacing: Bool

  /// Reads the head.
  /// - Throws: S3's error for a PUT that cannot be accepted, before any of the body is read.
  init(
    _ request: Request, key: String, payload: SignatureCheck.Payload, now: Date, dialect: Dialect
  ) throws(StorageError) {
    try Self.checkHead(request)
    self.dialect = dialect
    replacing = try dialect.replaces(request, dialect.conditions.put)
    self.request = request
    self.key = key
    self.payload = payload
    self.now = now
  }

  /// Refuses a request that would be wrong with any body.
  static func checkHead(_ request: Request) throws(StorageError) {
    guard request.headers["content-length"] != nil else {
      throw StorageError(411, "MissingContentLength", "You must provide the Content-Length HTTP header.")
    }
    if request.headers["x-amz-copy-source"] != nil {
      throw StorageError(501, "NotImplemented", "The sandbox does not copy objects.")
    }
  }

  func store(in folder: ObjectFolder) async throws -> Response {
    // Checked again at the end, when no other upload can come between. This check only saves the client from sending the body.
    if !replacing, try await folder.record(of: key) != nil { throw StorageError.precondition }
    let facts = try ObjectFacts(request, dialect)
    let encryption = try ObjectEncryption.asked(by: request)
    let body = try await folder.begin()
    let receipt: BodyReceipt
    do {
      receipt = try await BodyReceipt.receive(request, payload, as: (dialect, isPart: false), into: body, of: folder)
    } catch {
      try await folder.discard(body)
      throw error
    }
    let record = ObjectRecord(
      key: key, size: receipt.size, etag: ObjectEncryption.etag(receipt.etag, encryption), sha256: receipt.digest,
      lastModified: now, metadata: facts.metadata, headers: facts.headers, checksums: receipt.told,
      encryption: encryption)
    try await folder.commit(body, as: record, replacing: replacing)
    var response = Response(status: .ok, headers: HTTPFields(["etag": dialect.shown(record.etag)]))
    for (name, value) in encryption ?? [:] { response.headers.add(name, value) }
    for (algorithm, value) in record.checksums ?? [:] { response.headers.add("x-amz-checksum-" + algorithm, value) }
    return response
  }
}

extension Request {
  /// True if an existing object may be replaced: there is no `If-None-Match`.
  func replaces() throws(StorageError) -> Bool {
    let condition = headers["if-none-match"]
    guard condition == nil || condition == "*" else {
      throw StorageError(501, "NotImplemented", "If-None-Match takes only * with a PUT.")
    }
    return condition == nil
  }
}

/// The facts that a request gives about an object besides its bytes: metadata, and the headers that are returned with it.
struct ObjectFacts: Sendable {
  let metadata: [String: String]
  let headers: [String: String]

  /// - Throws: MetadataTooLarge: S3 takes 2 KB of names and values ("Working with object metadata" in its user guide).
  init(_ request: Request, _ dialect: Dialect) throws(StorageError) {
    let all = CanonicalRequest.headers(of: request.head)
    let kept = [
      "content-type", "content-encoding", "content-disposition", "content-language", "cache-control", "expires",
      "x-amz-storage-class",
    ]
    headers = all.filter { kept.contains($0.key) }.mapValues { $0.joined(separator: ", ") }
    let prefix = "x-amz-meta-"
    metadata = Dictionary(
      uniqueKeysWithValues: all.filter { $0.key.hasPrefix(prefix) }
        .map { (String($0.key.dropFirst(prefix.count)), $0.value.joined(separator: ",")) })
    let size = metadata.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    if let most = dialect.mostMetadata, size > most {
      throw StorageError(
        400, "MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size.",
        details: ["Size": String(size), "MaxSizeAllowed": String(most)])
    }
  }
}
