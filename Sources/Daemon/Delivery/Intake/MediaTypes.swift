import Jobs
import Linux

#if canImport(Glibc)
  import Glibc
#endif

/// The media types of tables, such as the system's, by the ending of a file's name, or by the whole name.
package struct MediaTypes: Sendable {
  /// Debian's table, which administrators add to: a type, then its endings.
  static let mimeTypes = "/etc/mime.types"
  /// The desktop's table ("The globs2 file" in the Shared MIME-info Database specification).
  static let globs = "/usr/share/mime/globs2"
  /// The most bytes of a table; the usual ones have some 70 KiB.
  private static let sizeLimit = 1 << 20

  /// The type for a name or an ending.
  package struct Rule: Equatable, Sendable {
    package let type: String
    let weight: Int
    let isCaseSensitive: Bool
  }

  private static let dot = UInt8(ascii: ".")
  /// The most names that are kept, so that a wrong file cannot fill the memory.
  package static let limit = 16_384
  /// The longest name, and the longest type.
  private static let longest = 255
  /// The weight of an administrator's rules. They come before every glob, whose weights end at 100.
  private static let administrators = 101

  /// The rules by whole name, or by ending with its dot.
  package private(set) var rules: [String: Rule] = [:]

  /// No types.
  package init() {}

  /// Adds a table of lines `TYPE ENDING…`; `#` begins a comment.
  package mutating func add(mimeTypes text: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 <= 0x20 }
      guard words.count > 1, let type = Self.text(words[0]) else { continue }
      for ending in words.dropFirst() {
        guard let ending = Self.text(ending) else { continue }
        add("." + ending, Rule(type: type, weight: Self.administrators, isCaseSensitive: false))
      }
    }
  }

  /// Adds a table of lines `WEIGHT:TYPE:GLOB[:FLAGS]`. Of the globs only whole names and `*.ENDING` are used; the others
  /// are a handful (`readme*`, `*~`) that say little of contents.
  package mutating func add(globs text: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
      let parts = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard parts.count >= 3, let weight = Self.text(parts[0]).flatMap({ Int($0) }), let type = Self.text(parts[1]),
        var name = Self.text(parts[2])
      else { continue }
      if name.utf8.starts(with: "*.".utf8) { name.removeFirst() }
      guard !name.utf8.contains(where: { "*?[".utf8.contains($0) }) else { continue }
      let flags = parts.count > 3 ? parts[3].split(separator: UInt8(ascii: ",")) : []
      let isCaseSensitive = flags.contains { $0.elementsEqual("cs".utf8) }
      add(name, Rule(type: type, weight: min(weight, Self.administrators - 1), isCaseSensitive: isCaseSensitive))
    }
  }

  /// Adds a rule. Of two rules for one name the heavier one is kept, and of equal weights the first one.
  private mutating func add(_ name: String, _ rule: Rule) {
    guard FileMetadata.isMediaType(rule.type), !name.isEmpty, name.utf8.count <= Self.longest else { return }
    if let old = rules[name] {
      if old.weight < rule.weight { rules[name] = rule }
    } else if rules.count < Self.limit {
      rules[name] = rule
    }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String? { String(validating: bytes, as: UTF8.self) }

  /// Reads the system's tables. A missing table is not an error. One that cannot be read is reported and left out.
  package static func read(
    mimeTypes: String = mimeTypes, globs: String = globs, report: (String) -> Void
  ) -> MediaTypes {
    var types = MediaTypes()
    if let text = text(of: mimeTypes, report) { types.add(mimeTypes: text) }
    if let text = text(of: globs, report) { types.add(globs: text) }
    return types
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
      guard let dot = rest.dropFirst().firstIndex(of: Self.dot) else { return nil }
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
