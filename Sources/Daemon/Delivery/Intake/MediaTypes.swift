import Glibc
import Jobs
import Linux

/// The media types of the system's table, by the ending of a file's name.
package struct MediaTypes: Sendable {
  /// The system's table, which administrators add to: a type, then its endings.
  static let table = "/etc/mime.types"
  /// The most bytes of the table; the usual one has some 70 KiB.
  private static let sizeLimit = 1 << 20
  /// The most endings that are kept, so that a wrong file cannot fill the memory.
  package static let limit = 16_384

  /// The types by ending, in lower case and without its dot.
  package private(set) var types: [String: String] = [:]

  /// No types.
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

  /// Reads the system's table. If it is missing, there are no types; one that cannot be read is reported too.
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
