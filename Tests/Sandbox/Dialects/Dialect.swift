import ArgumentParser
import HTTPTypes
import HummingbirdCore

/// An S3-compatible service: all that it supports, ignores, refuses and answers, as far as an uploader meets it.
///
/// Each is data in a file of its own, with the source of every line and the source's date. What is not known of a service is as at AWS.
struct Dialect: Sendable {
  /// The service's way with something that a request asks for.
  enum Support: Sendable {
    case kept
    case ignored
    case refused(StorageError)

    var isKept: Bool { if case .kept = self { true } else { false } }
  }

  struct Conditions: Sendable {
    var put = Support.kept
    /// At the beginning of an upload in parts; AWS takes no condition there ("Enforce conditional writes" in its user guide).
    var create = Support.ignored
    var complete = Support.kept
    /// True if an upload in parts is gone once its condition has failed at its end.
    var endUpload = false
  }

  struct Checksums: Sendable {
    /// With an object, by algorithm.
    var object: [String: Support] = [:]
    /// With a part, by algorithm.
    var part: [String: Support] = [:]
    /// The types of whole objects' checksums that an upload in parts cannot have, by algorithm, with the answer.
    var refusedTypes: [String: [String: StorageError]] = [:]
    /// True if the answer to the beginning of an upload names the algorithm and the type.
    var isNamedAtCreate = true
    /// True if each part needs a checksum of the upload's algorithm.
    var isNeededWithParts = false
    /// True if the end of an upload has to name the checksum of each part, whatever its type.
    var isNeededAtComplete = false
    /// The answer to a CRC of the whole object at the end without `x-amz-checksum-type` beside it; nil if it needs none.
    var typeIsMissing: StorageError?
    /// Its way with the checksum of the whole object that comes with the end.
    var complete = Support.kept
    /// True if the checksum of checksums ends with the number of parts.
    var hasCount = true
    /// True if HEAD shows them when it is asked.
    var isShown = true
    /// The code of its answer to a wrong one; the status is 400.
    var wrong = "BadDigest"
  }

  let name: String
  var conditions = Conditions()
  var checksums = Checksums()
  /// Headers that it does not take, in lower case; one that ends with `-` stands for all that begin so.
  var headers: [String: StorageError] = [:]
  var mostParts = 10_000
  /// The minimum number of bytes of a part that is not the last.
  var leastPart: Int64 = 5 << 20
  /// True if all parts but the last must be of one size, which is looked at in the end.
  var needsEqualParts = false
  /// The maximum number of bytes of metadata, names and values; nil if there is none.
  var mostMetadata: Int? = 2048
  /// True if the end of an upload that was ended before gets the same answer again, as long as its object is there.
  var completesAgain = true
  /// True if ETags are quoted, as RFC 9110 demands.
  var quotesETags = true
  static let all = [aws, r2, b2, gcs, garage, seaweedFS, minIO, scaleway, wasabi]
}

extension Dialect {
  /// The words of AWS for what it does not know.
  static func notImplemented(_ header: String) -> StorageError {
    StorageError(
      501, "NotImplemented", "A header you provided implies functionality that is not implemented",
      details: ["Header": header])
  }

  /// Refuses a request with a header that the service does not take.
  func check(_ request: Request) throws(StorageError) {
    if headers.isEmpty { return }
    for field in request.headers {
      let name = field.name.canonicalName
      let known = headers[name] ?? headers.first { $0.key.hasSuffix("-") && name.hasPrefix($0.key) }?.value
      if let known { throw known }
    }
  }

  /// The same of a body's checksums.
  func support(of algorithm: String, inPart isPart: Bool) -> Support {
    (isPart ? checksums.part[algorithm] : checksums.object[algorithm]) ?? .kept
  }

  func shown(_ etag: String) -> String { quotesETags ? "\"\(etag)\"" : etag }

  /// Returns true if an existing object may be replaced by a request.
  func replaces(_ request: Request, _ condition: Support) throws(StorageError) -> Bool {
    let replaces = try request.replaces()
    if replaces { return true }
    switch condition {
    case .kept: return false
    case .ignored: return true
    case .refused(let error): throw error
    }
  }
}

extension Dialect: ExpressibleByArgument {
  init?(argument: String) {
    guard let dialect = Self.all.first(where: { $0.name == argument }) else { return nil }
    self = dialect
  }

  static var allValueStrings: [String] { all.map(\.name) }
  var defaultValueDescription: String { name }
}
