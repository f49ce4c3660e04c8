import Glibc
import Jobs
import Linux

/// The media type of a file (`user.mime_type`, else by its name) and the metadata that goes with it (`user.waybill.NAME`).
struct FileMetadata: Sendable, Equatable {
  /// The media type of an object when no other is known (RFC 2046, section 4.5.1).
  static let unknownType = "application/octet-stream"

  let contentType: String
  /// The values by NAME, without the daemon's own: `id` and names that begin with `waybill-`.
  let values: [String: String]

  init(_ attributes: [String: [UInt8]], name: FileName, types: MediaTypes) {
    contentType = attributes["user.mime_type"].flatMap(Self.mediaType) ?? types.type(of: name) ?? Self.unknownType
    var values: [String: String] = [:]
    for (attribute, bytes) in attributes {
      // By bytes: a name may continue with a mark that combines with the last letter of the prefix.
      let prefix = "user.waybill.".utf8
      guard attribute.utf8.starts(with: prefix) else { continue }
      let key = String(decoding: attribute.utf8.dropFirst(prefix.count), as: UTF8.self)
      if key.isEmpty || key == "id" || Self.isReserved(key) { continue }
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

/// The media types of the system's table, by the ending of a file's name.
package struct MediaTypes: Sendable {
  /// The system's table, which administrators add to: a type, then its endings.
  static let table = "/etc/mime.types"
  /// The most bytes of the table; the usual one has some 70 KiB.
  private static let sizeLimit = 1 << 20
  /// The most endings in memory, so that a wrong file cannot fill the memory.
  package static let limit = 16_384

  /// The types by ending, in lower case and without its dot.
  package private(set) var types: [String: String] = [:]

  package init() {}

  /// Reads a table of lines `TYPE ENDING…`; `#` begins a comment. Of two types for one ending the first one counts.
  package init(table text: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 <= 0x20 }
        .map { String(decoding: $0, as: UTF8.self) }
      guard let type = words.first, FileMetadata.isMediaType(type) else { continue }
      for ending in words.dropFirst().map({ $0.lowercased() }) where types[ending] == nil && types.count < Self.limit {
        types[ending] = type
      }
    }
  }

  /// Reads the system's table. Without a table there are no types; one that cannot be read is reported too.
  package static func read(_ path: String = table, report: (String) -> Void) -> MediaTypes {
    do throws(FileError) {
      return MediaTypes(table: try readSmallFile(path: path, limit: sizeLimit))
    } catch {
      if error.errno != ENOENT { report("the media types of \(path) are not used: \(error)") }
      return MediaTypes()
    }
  }

  /// Returns the type for a file's name by what follows its last dot, in any case; nil if it is not known.
  func type(of name: FileName) -> String? {
    String(validating: name.ext, as: UTF8.self).flatMap { types[$0.lowercased()] }
  }
}
