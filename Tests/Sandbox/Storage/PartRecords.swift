import FoundationEssentials

struct UploadRecord: Sendable, Codable, Equatable {
  var id: String
  var key: String
  var initiated: Date
  var metadata: [String: String]
  var headers: [String: String]
  /// `sha256`, `crc32c` or `crc64nvme`; nil for none.
  var algorithm: String?
  /// `COMPOSITE` or `FULL_OBJECT`.
  var type: String?
  var encryption: [String: String]?
}

struct PartRecord: Sendable, Codable, Equatable {
  var number: Int
  var size: Int64
  /// MD5 in hex, without the quotes.
  var etag: String
  var lastModified: Date
  /// The checksum in base64, of the upload's algorithm.
  var checksum: String?

  private enum CodingKeys: String, CodingKey {
    case number, size, etag, checksum
    case lastModified = "last_modified"
  }
}

/// An upload with its parts, as `GET /_admin/state` shows it.
struct OpenUpload: Sendable, Encodable {
  var upload: UploadRecord
  var parts: [PartRecord]

  private enum Key: String, CodingKey {
    case key, parts
    case id = "upload_id"
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(upload.id, forKey: .id)
    try values.encode(upload.key, forKey: .key)
    try values.encode(parts.map(\.number), forKey: .parts)
  }
}
