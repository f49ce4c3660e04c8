package import Jobs

/// An S3 bucket, as far as Waybill uses it: PUT, HEAD, GET, DELETE, and uploads in parts.
///
/// See "PutObject", "UploadPart", "CompleteMultipartUpload" and "ListMultipartUploads" in the S3 API reference. It keeps the
/// sums of what it got, and all that was ever stored.
package struct ModelStorage: Codable, Hashable, Sendable {
  package struct Options: Codable, Hashable, Sendable {
    package var bucket: String
    /// The keys that it accepts; none for any.
    package var accessKeys: [String] = []
    /// True if `If-None-Match` is kept for PUT; otherwise it is ignored.
    package var keepsConditions = true
    /// True if it is kept for Complete too.
    package var keepsConditionsOfComplete = true
    /// True if `x-amz-checksum-…` is checked and shown; otherwise it is ignored.
    package var knowsChecksums = true
    /// True if a request is refused whose time is more than 15 minutes away.
    package var checksTime = true
    package var keepsVersions = false

    package init(bucket: String) { self.bucket = bucket }
  }

  /// The properties of this storage. A key that is changed there counts at once.
  package var options: Options
  package internal(set) var objects = SortedTable<ModelObject>()
  /// The versions below them, the newest last.
  var older = SortedTable<[ModelObject]>()
  package internal(set) var uploads = SortedTable<ModelUpload>()
  /// All that was ever stored or deleted, in order.
  package internal(set) var history: [StorageEvent] = []
  package internal(set) var requests: [RequestRecord] = []
  var lastUpload = 0

  /// The name in the query of a granted URL that has the end of the grant, in virtual microseconds.
  static let grantEnds = "grant-ends"
  /// The beginning of the keys of granted uploads.
  static let grantedKeys = "granted/"

  package init(_ options: Options) { self.options = options }

  /// Puts an object there that is nobody's: its key is taken, and it must not be replaced.
  package mutating func addForeignObject(key: String, _ bytes: [UInt8]) {
    let piece = Piece(bytes)
    objects[key] = ModelObject(etag: piece.md5, pieces: [piece], metadata: [], headers: [], checksums: [])
  }

  package mutating func act(on request: FarRequest, at now: Duration, wall: Timestamp) -> FarAnswer {
    var answer: FarAnswer
    do throws(S3Error) {
      let target = try S3Target(request, bucket: options.bucket)
      if let end = target[Self.grantEnds] {
        // As S3 answers at a presigned URL.
        guard Int64(end).map({ now.microseconds < $0 }) ?? false else {
          throw S3Error(403, "AccessDenied", "Request has expired")
        }
      } else {
        try checkSignature(request, wall: wall)
      }
      answer = try perform(request, target, at: now, wall: wall)
      note(request, target, answer, at: now)
    } catch {
      answer = error.answer
      if let target = try? S3Target(request, bucket: options.bucket) { note(request, target, answer, at: now) }
    }
    answer.headers.append(FarHeader("Date", HTTPDateText.text(wall)))
    // HEAD has no body (RFC 9110, 9.3.2).
    if request.method == "HEAD" { answer.body = [] }
    return answer
  }

  private mutating func note(_ request: FarRequest, _ target: S3Target, _ answer: FarAnswer, at now: Duration) {
    requests.append(
      RequestRecord(
        operation: target.operation(request.method), subject: target.key,
        id: request[header: "x-amz-meta-waybill-id"], sentAt: request.sentAt, actedAt: now, status: answer.status))
  }

  private mutating func perform(
    _ request: FarRequest, _ target: S3Target, at now: Duration, wall: Timestamp
  ) throws(S3Error) -> FarAnswer {
    switch (target.operation(request.method), target["uploadId"]) {
    case ("PutObject", nil): try put(request, target, at: now)
    case ("HeadObject", nil), ("GetObject", nil): try show(request, target)
    case ("HeadBucket", nil): FarAnswer(200)
    case ("DeleteObject", nil): try delete(target, at: now)
    case ("CreateMultipartUpload", nil): try create(request, target, wall: wall)
    case ("UploadPart", let id?): try receivePart(request, target, id)
    case ("ListParts", let id?): try listParts(target, id)
    case ("CompleteMultipartUpload", let id?): try complete(request, target, id, at: now)
    case ("AbortMultipartUpload", let id?): try abort(target, id)
    case ("ListMultipartUploads", nil): listUploads(target)
    default: throw S3Error(501, "NotImplemented", "The model has no \(request.method) with ?\(request.query).")
    }
  }

  private func checkSignature(_ request: FarRequest, wall: Timestamp) throws(S3Error) {
    let fields = request[header: "Authorization"]?.utf8.split(separator: UInt8(ascii: " ")) ?? []
    guard let scope = fields.first(where: { $0.starts(with: "Credential=".utf8) })?.dropFirst("Credential=".utf8.count),
      let key = scope.split(separator: UInt8(ascii: "/")).first,
      fields.contains(where: { $0.starts(with: "Signature=".utf8) })
    else { throw S3Error(403, "AccessDenied", "The request is not signed.") }
    guard options.accessKeys.isEmpty || options.accessKeys.contains(String(Substring(key))) else {
      throw S3Error(403, "InvalidAccessKeyId", "The access key does not exist in our records.")
    }
    guard options.checksTime else { return }
    guard let stamp = request[header: "x-amz-date"], let time = Self.time(stamp) else {
      throw S3Error(403, "AccessDenied", "The request has no date.")
    }
    let difference = time - wall
    if difference > .seconds(900) || difference < .seconds(-900) {
      throw S3Error(403, "RequestTimeTooSkewed", "The difference between the clocks is too large.")
    }
  }

  /// Reads `20261125T101112Z`.
  private static func time(_ text: String) -> Timestamp? {
    let digits = Array(text)
    guard digits.count == 16 else { return nil }
    let parts = [0..<4, 4..<6, 6..<8, 9..<11, 11..<13, 13..<15].map { String(digits[$0]) }
    return Timestamp(rfc3339: "\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])Z")
  }
}

package struct ModelObject: Codable, Hashable, Sendable {
  package var etag: String
  /// The bytes, in the pieces in which they came.
  package var pieces: [Piece]
  /// `x-amz-meta-…`, names in lower case, without that beginning.
  package var metadata: [FarHeader]
  /// The other headers that are shown with it.
  package var headers: [FarHeader]
  package var checksums: [FarHeader]
  package var version: String?

  static let lockHeader = "x-amz-object-lock-mode"
  static let encryptionHeader = "x-amz-server-side-encryption"

  /// The headers that every answer about it has.
  var marks: [FarHeader] {
    headers.filter { $0.name.hasPrefix(Self.encryptionHeader) } + versionHeader
  }

  var versionHeader: [FarHeader] { version.map { [FarHeader("x-amz-version-id", $0)] } ?? [] }

  package var size: Int { pieces.reduce(0) { $0 + $1.size } }
  /// The id of the job that it belongs to; nil for an object of somebody else.
  package var id: String? { metadata[first: "waybill-id"] }
}

package struct ModelUpload: Codable, Hashable, Sendable {
  package struct Part: Codable, Hashable, Sendable {
    /// Its number, from 1.
    package var number: Int
    package var piece: Piece
  }

  package var key: String
  package var initiated: String
  /// `x-amz-meta-…`, names in lower case, without that beginning.
  package var metadata: [FarHeader]
  /// The other headers that are shown with the object.
  package var headers: [FarHeader]
  package var parts: [Part] = []
  /// True if the daemon that lives now was told of it.
  var isKnown = false
  var algorithm: ChecksumName?
  var isComposite = false
}

package struct StorageEvent: Codable, Hashable, Sendable {
  package var at: Duration
  package var key: String
  /// The object as it was stored; nil for a deletion.
  package var object: ModelObject?
  /// The object that was there before; nil for none.
  package var replaced: ModelObject?
}

/// A request that a server has acted on.
package struct RequestRecord: Codable, Hashable, Sendable {
  /// S3's name of the operation, or the method at a backend.
  package var operation: String
  /// The key of the object, or the Idempotency-Key of a registration.
  package var subject: String
  /// The id of the job, if the request carries it.
  package var id: String?
  package var sentAt: Duration
  package var actedAt: Duration
  package var status: Int
}
