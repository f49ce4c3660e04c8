import Jobs

/// The content of tables of media types, while they are read.
package struct MediaTypeTables {
  /// The type for a name or an ending.
  package struct Rule: Equatable, Sendable {
    package let type: String
    let weight: Int
    let isCaseSensitive: Bool
  }

  static let dot = UInt8(ascii: ".")
  /// The most names that are kept, so that a file that is no such table cannot fill the memory.
  package static let limit = 16_384
  /// The longest name, and the longest type.
  private static let longest = 255
  /// The weight of an administrator's rules. They come before every glob, whose weights end at 100.
  private static let administrators = 101

  /// The rules by whole name, or by ending with its dot.
  package private(set) var rules: [String: Rule] = [:]

  /// Creates empty tables.
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
}
