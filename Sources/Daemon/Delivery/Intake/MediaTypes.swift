import Jobs
import Linux

#if canImport(Glibc)
  import Glibc
#endif

/// The system's media types by the ending of a file's name, or by the whole name.
///
/// They are read once. Names and types are stored in two long buffers, and names are found by binary search, so that the few
/// thousand of them take some 100 KiB.
package struct MediaTypes: Sendable {
  /// Debian's table, which administrators add to: a type, then its endings.
  static let mimeTypes = "/etc/mime.types"
  /// The desktop's table ("The globs2 file" in the Shared MIME-info Database specification).
  static let globs = "/usr/share/mime/globs2"

  /// The most bytes of a table; the usual ones have some 70 KiB.
  private static let sizeLimit = 1 << 20

  private struct Entry {
    let start: UInt32
    let count: UInt8
    let isCaseSensitive: Bool
    let type: UInt16
  }

  private var names: [UInt8] = []
  /// In the order of their names' bytes.
  private var entries: [Entry] = []
  private var types: [UInt8] = []
  /// The end of each type in `types`.
  private var typeEnds: [UInt32] = []

  /// Creates the types of tables that were read.
  package init(_ tables: MediaTypeTables) {
    var numbers: [String: UInt16] = [:]
    entries.reserveCapacity(tables.rules.count)
    for (name, rule) in tables.rules.sorted(by: { Self.precedes($0.key.utf8, $1.key.utf8) }) {
      let number = numbers[rule.type] ?? UInt16(numbers.count)
      if numbers.updateValue(number, forKey: rule.type) == nil {
        types += rule.type.utf8
        typeEnds.append(UInt32(types.count))
      }
      entries.append(
        Entry(
          start: UInt32(names.count), count: UInt8(name.utf8.count), isCaseSensitive: rule.isCaseSensitive,
          type: number))
      names += name.utf8
    }
  }

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
    let exact = name.bytes
    let isUpper = { (byte: UInt8) in byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
    let lowered = exact.contains(where: isUpper) ? exact.map { isUpper($0) ? $0 | 0x20 : $0 } : exact
    var start = exact.startIndex
    while true {
      if let entry = find(exact[start...]) { return type(entry) }
      if let entry = find(lowered[start...]), !entry.isCaseSensitive { return type(entry) }
      guard let dot = exact[start...].dropFirst().firstIndex(of: MediaTypeTables.dot) else { return nil }
      start = dot
    }
  }

  private func find(_ name: ArraySlice<UInt8>) -> Entry? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      let entry = entries[middle]
      let found = names[Int(entry.start)..<Int(entry.start) + Int(entry.count)]
      if found.elementsEqual(name) { return entry }
      if Self.precedes(found, name) { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  private func type(_ entry: Entry) -> String {
    let number = Int(entry.type)
    let start = number == 0 ? 0 : Int(typeEnds[number - 1])
    return String(decoding: types[start..<Int(typeEnds[number])], as: UTF8.self)
  }

  private static func precedes(_ one: some Sequence<UInt8>, _ other: some Sequence<UInt8>) -> Bool {
    one.lexicographicallyPrecedes(other)
  }
}
