import Jobs

/// The facts about a file besides its bytes: its media type (`user.mime_type`, else by its name) and the metadata that
/// goes with it (`user.waybill.NAME`).
struct FileMetadata: Sendable, Equatable {
  /// The media type of an object when no other is known (RFC 2046, section 4.5.1).
  static let unknownType = "application/octet-stream"

  let contentType: String
  /// The values by NAME, without `id` and the names that begin with `waybill-`: those are the daemon's own.
  let values: [String: String]

  init(_ attributes: [String: [UInt8]], name: FileName, types: MediaTypes) {
    contentType = attributes["user.mime_type"].flatMap(Self.mediaType) ?? types.type(of: name) ?? Self.unknownType
    var values: [String: String] = [:]
    for (attribute, bytes) in attributes {
      guard let key = attribute.dropping(prefix: "user.waybill."), key != "id", !Self.isReserved(key) else { continue }
      values[key] = FileName(bytes: bytes).text
    }
    self.values = values
  }

  /// Reads a media type. Some programs leave a line break or a NUL at its end.
  private static func mediaType(_ bytes: [UInt8]) -> String? {
    let trimmed = bytes.drop { $0 <= 0x20 }
    let end = trimmed.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? trimmed.startIndex
    guard let text = String(validating: trimmed[..<end], as: UTF8.self), isMediaType(text) else { return nil }
    return text
  }

  /// Returns true for a media type that a header may carry (RFC 9110, section 8.3.1): printable ASCII with a slash.
  static func isMediaType(_ text: String) -> Bool {
    text.utf8.count <= 255 && text.utf8.contains(UInt8(ascii: "/")) && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }

  /// Returns true for a name that is the daemon's own, in any case: the object's headers are in lower case.
  static func isReserved(_ name: String) -> Bool {
    name.lowercased().utf8.starts(with: "waybill-".utf8)
  }
}

extension String {
  /// Returns the text after the prefix. It compares bytes: a name may continue with a mark that combines with the prefix's last letter.
  fileprivate func dropping(prefix: String) -> String? {
    guard utf8.starts(with: prefix.utf8), utf8.count > prefix.utf8.count else { return nil }
    return String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
  }
}
