import Linux

/// SQLite's log of writes, checked before SQLite opens it. SQLite treats a log that it cannot read as empty, so its commits would be
/// lost without an error.
///
/// After a power cut, less may be there than was written, but nothing else (<https://sqlite.org/fileformat2.html#walformat>): the place
/// of each frame holds one of this round, one of an earlier round, or zeros. Anything else is damage.
struct WriteAheadLog {
  private static let headerSize = 32
  private static let frameHeaderSize = 24
  /// No ledger has so many pages: 256 GiB of them.
  private static let mostPages: UInt32 = 1 << 26

  /// Returns the fault in words; nil if the log is as SQLite left it.
  static func damage(of file: OpenFile) throws(FileError) -> String? {
    let size = try file.facts().size
    guard size > 0 else { return nil }
    let header = try file.read(at: 0, count: headerSize)
    if header.allSatisfy({ $0 == 0 }) { return nil }
    guard header.count == headerSize, isHeader(header) else { return "its log of writes does not begin as one" }
    let pageSize = word(header, 8)
    guard pageSize >= 512, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else {
      return "its log of writes has pages of \(pageSize) bytes"
    }
    var offset = Int64(headerSize)
    while offset + Int64(frameHeaderSize) <= size {
      let frame = try file.read(at: offset, count: frameHeaderSize)
      guard frame.count == frameHeaderSize else { break }
      let isBlank = frame.allSatisfy { $0 == 0 }
      // the page number, and the number of pages after a commit
      guard isBlank || (1...mostPages).contains(word(frame, 0)) && word(frame, 4) <= mostPages else {
        return "its log of writes has something else at byte \(offset)"
      }
      offset += Int64(frameHeaderSize) + Int64(pageSize)
    }
    return nil
  }

  /// Returns true if the magic number, the version and the checksum over pairs of words are right.
  private static func isHeader(_ header: [UInt8]) -> Bool {
    let magic = word(header, 0)
    guard magic & ~1 == 0x377f_0682, word(header, 4) == 3_007_000 else { return false }
    let isBigEndian = magic & 1 == 1
    var (first, second): (UInt32, UInt32) = (0, 0)
    for index in stride(from: 0, to: 24, by: 8) {
      let pair = [index, index + 4].map { isBigEndian ? word(header, $0) : word(header, $0).byteSwapped }
      first = first &+ pair[0] &+ second
      second = second &+ pair[1] &+ first
    }
    return first == word(header, 24) && second == word(header, 28)
  }

  private static func word(_ bytes: [UInt8], _ index: Int) -> UInt32 {
    bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
