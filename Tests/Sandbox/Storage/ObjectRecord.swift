import FoundationEssentials

struct ObjectRecord: Sendable, Codable, Equatable {
  var key: String
  var size: Int64
  /// MD5 in hex, without the quotes.
  var etag: String
  var sha256: String
  var lastModified: Date
  /// `x-amz-meta-NAME` by NAME, in lower case.
  var metadata: [String: String]
  /// Headers that are returned with the object, such as `content-type`.
  var headers: [String: String]
  /// Checksums in base64 by algorithm, as they came with the object.
  var checksums: [String: String]?
  var upload: String?
  var encryption: [String: String]?

  /// The type of a checksum ("Checking object integrity" in the S3 user guide).
  static func type(ofChecksum value: String) -> String { value.contains("-") ? "COMPOSITE" : "FULL_OBJECT" }

  private enum CodingKeys: String, CodingKey {
    case key, size, etag, sha256, metadata, headers, checksums, upload, encryption
    case lastModified = "last_modified"
  }
}
