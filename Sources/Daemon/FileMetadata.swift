import Jobs

/// What a file's extended attributes say of it: `user.mime_type`, and `user.waybill.NAME` for what travels with it.
struct FileMetadata: Sendable, Equatable {
  /// What the object is stored with where the file says nothing else (RFC 2046, section 4.5.1).
  static let unknownType = "application/octet-stream"

  private(set) var contentType = FileMetadata.unknownType
  /// By NAME; `id` is the daemon's own and not among them.
  private(set) var values: [String: String] = [:]

  init(_ attributes: [String: [UInt8]]) {
    for (name, bytes) in attributes {
      if name == "user.mime_type" {
        if let type = String(validating: bytes, as: UTF8.self), Self.isMediaType(type) { contentType = type }
      } else if let key = name.dropping(prefix: "user.waybill."), key != "id", !key.hasPrefix("waybill-") {
        values[key] = FileName(bytes: bytes).text
      }
    }
  }

  /// A media type as a header may carry it (RFC 9110, section 8.3.1): printable ASCII with a slash.
  private static func isMediaType(_ text: String) -> Bool {
    text.utf8.count <= 255 && text.contains("/") && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }
}

extension String {
  fileprivate func dropping(prefix: String) -> String? {
    guard hasPrefix(prefix), count > prefix.count else { return nil }
    return String(dropFirst(prefix.count))
  }
}
