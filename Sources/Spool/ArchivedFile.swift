import Jobs
import LinuxFiles

/// A file in an archive that was moved there by the daemon, with the facts by which it is known again.
///
/// Any change of the file gives it another ctime: of its bytes, mode, owner, attributes, name, or number of names.
struct ArchivedFile: Hashable, Sendable {
  /// The path below the archive, without a slash at its ends.
  let path: [UInt8]
  let inode: UInt64
  let size: Int64
  let modified: Int64
  let changed: Int64

  init(path: [UInt8], _ facts: FileFacts) {
    self.path = path
    inode = facts.inode
    size = facts.size
    modified = facts.modified
    changed = facts.changed
  }

  /// Reads a line of a list; nil for one that was not written whole.
  init?(line: ArraySlice<UInt8>) {
    guard let text = String(validating: line, as: UTF8.self) else { return nil }
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[5] == ".", let inode = UInt64(parts[0]), let size = Int64(parts[1]),
      let modified = Int64(parts[2]), let changed = Int64(parts[3]), let path = Self.decode(parts[4])
    else { return nil }
    let names = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let dots = [Array(".".utf8), Array("..".utf8), []]
    guard !names.contains(where: { dots.contains(Array($0)) || $0.contains(0) }),
      names[0] != ArchiveIndex.folderName[...]
    else { return nil }
    self.path = path
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }

  /// The line of a list. It ends with a dot, so that half a line is known as such, and begins on a line of its own even after
  /// one.
  var line: [UInt8] {
    var line = Array("\n\(inode) \(size) \(modified) \(changed) ".utf8)
    for byte in path {
      if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%") {
        line.append(byte)
      } else {
        PercentEncoding.append(byte, to: &line)
      }
    }
    return line + Array(" .\n".utf8)
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

  /// The path of its directory below the archive, empty for the archive itself, and its name there.
  var place: (folder: [UInt8], name: [UInt8]) {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return ([], path) }
    return (Array(path[..<slash]), Array(path[path.index(after: slash)...]))
  }

  /// True if a file is still the one that was archived, and has no other name.
  func isUnchanged(_ facts: FileFacts) -> Bool { hasSameBytes(facts) && facts.changed == changed }

  /// The same for a file that was renamed since, by the daemon itself.
  func hasSameBytes(_ facts: FileFacts) -> Bool {
    facts.kind == .regular && facts.links == 1 && facts.inode == inode && facts.size == size
      && facts.modified == modified
  }
}
