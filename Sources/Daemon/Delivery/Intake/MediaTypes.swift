import Jobs
import Linux

#if canImport(Glibc)
  import Glibc
#endif

/// The system's media types by the ending of a file's name, or by the whole name. They are read once.
package struct MediaTypes: Sendable {
  /// Debian's table, which administrators add to: a type, then its endings.
  static let mimeTypes = "/etc/mime.types"
  /// The desktop's table ("The globs2 file" in the Shared MIME-info Database specification).
  static let globs = "/usr/share/mime/globs2"

  /// The most bytes of a table; the usual ones have some 70 KiB.
  private static let sizeLimit = 1 << 20

  private let rules: [String: MediaTypeTables.Rule]

  /// Creates the types of tables that were read.
  package init(_ tables: MediaTypeTables) { rules = tables.rules }

  /// Reads the system's tables. A table that is not there is no error. One that cannot be read is reported and left out.
  package static func read(
    mimeTypes: String = mimeTypes, globs: String = globs, report: (String) -> Void
  ) -> MediaTypes {
    var tables = MediaTypeTables()
    if let text = text(of: mimeTypes, report) { tables.add(mimeTypes: text) }
    if let text = text(of: globs, report) { tables.add(globs: text) }
    return MediaTypes(tables)
  }

  private static func text(of path: String, _ report: (String) -> Void) -> [UInt8]? {
    do throws(FileError) {
      return try readSmallFile(path: path, limit: sizeLimit)
    } catch {
      if error.errno != ENOENT { report("the media types of \(path) are not used: \(error)") }
      return nil
    }
  }

  /// Returns the type for a file's name; nil if it is not known. The whole name counts before its endings, and of these the
  /// longest first (`tar.gz` before `gz`); each as it is written, then in lower case.
  func type(of name: FileName) -> String? {
    var rest = name.bytes[...]
    while true {
      if let type = type(ofEnding: rest) { return type }
      guard let dot = rest.dropFirst().firstIndex(of: MediaTypeTables.dot) else { return nil }
      rest = rest[dot...]
    }
  }

  private func type(ofEnding bytes: ArraySlice<UInt8>) -> String? {
    guard let ending = String(validating: bytes, as: UTF8.self) else { return nil }
    if let rule = rules[ending] { return rule.type }
    let isUpper = { (byte: UInt8) in byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
    guard bytes.contains(where: isUpper) else { return nil }
    let lowered = String(decoding: bytes.map { isUpper($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    return rules[lowered].flatMap { $0.isCaseSensitive ? nil : $0.type }
  }
}
