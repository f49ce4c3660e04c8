import Jobs

/// A path below an archive, as a list records it. It never leads out of the archive, or to the lists themselves.
struct ArchivedPath: Hashable, Sendable {
  /// The path, without a slash at either end.
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the word of a list; nil if it is not such a path.
  init?(word: Substring) {
    guard let bytes = Self.decode(word) else { return nil }
    let names = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let dots = [Array(".".utf8), Array("..".utf8), []]
    guard !names.contains(where: { dots.contains(Array($0)) || $0.contains(0) }),
      names[0] != ArchiveIndex.folderName[...]
    else { return nil }
    self.bytes = bytes
  }

  /// The path as one word of a list: printable ASCII without spaces, other bytes percent-encoded.
  var word: [UInt8] {
    var word: [UInt8] = []
    for byte in bytes {
      if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%") {
        word.append(byte)
      } else {
        PercentEncoding.append(byte, to: &word)
      }
    }
    return word
  }

  private static func decode(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let decoded = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
      bytes.append(decoded)
      rest = rest.dropFirst(2)
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// The path of the directory that it is in (empty for the archive itself), and its name there.
  var place: (folder: [UInt8], name: [UInt8]) {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return ([], bytes) }
    return (Array(bytes[..<slash]), Array(bytes[bytes.index(after: slash)...]))
  }
}

/// An entry of a list of archived files.
enum ArchivedEntry: Hashable, Sendable {
  case file(ArchivedFile)
  case group(ArchivedGroup)

  /// Reads a line of a list; nil for a line that was not written completely.
  init?(line: ArraySlice<UInt8>) {
    guard let text = String(validating: line, as: UTF8.self) else { return nil }
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 6, words[5] == ".", let path = ArchivedPath(word: words[4]) else { return nil }
    if words[0] == "group" {
      guard let inode = UInt64(words[1]), let changed = Int64(words[2]), let sum = UInt64(words[3]) else { return nil }
      self = .group(ArchivedGroup(path: path, inode: inode, changed: changed, sum: GroupSum(value: sum)))
    } else {
      guard let inode = UInt64(words[0]), let size = Int64(words[1]), let modified = Int64(words[2]),
        let changed = Int64(words[3])
      else { return nil }
      self = .file(ArchivedFile(path: path, inode: inode, size: size, modified: modified, changed: changed))
    }
  }

  /// The line of a list. It ends with a dot, so that an incomplete line can be recognized, and begins with a newline, so that an
  /// incomplete line before it does no harm.
  var line: [UInt8] {
    let (facts, path) =
      switch self {
      case .file(let file): ("\(file.inode) \(file.size) \(file.modified) \(file.changed)", file.path)
      case .group(let group): ("group \(group.inode) \(group.changed) \(group.sum.value)", group.path)
      }
    return Array("\n\(facts) ".utf8) + path.word + Array(" .\n".utf8)
  }
}
