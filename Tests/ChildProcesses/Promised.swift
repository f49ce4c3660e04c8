import Foundation
import Synchronization
public import Testing

/// What version 1 promises to programs, as lists of lines: `Tests/Compatibility/1.txt`. Tests compare a section with what the code
/// says today.
///
/// Nothing that is listed may go or change before the next major version. Something new passes once it is in the file, to which
/// `WAYBILL_TEST_STORE=1` adds it.
public enum Promised {
  private static let path = "Tests/Compatibility/1.txt"
  private static let adds = ProcessInfo.processInfo.environment["WAYBILL_TEST_STORE"] == "1"
  /// Held while the file is read or written: tests run side by side.
  private static let file = Mutex(())

  /// The lines of a section.
  public static func lines(_ section: String) throws -> Set<String> {
    try file.withLock { _ in Set(try sections()[section] ?? []) }
  }

  /// Records an issue for each line that was promised and is not there, and for each one that is new.
  public static func expect(
    _ section: String, is lines: some Sequence<String>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (today, listed) = (Set(lines), try self.lines(section))
    let added = today.subtracting(listed)
    if adds {
      try add(added, to: section)
    } else if !added.isEmpty {
      let words = "new in [\(section)]; WAYBILL_TEST_STORE=1 promises it in \(path):\n\(list(added))"
      Issue.record("\(words)", sourceLocation: sourceLocation)
    }
    let gone = listed.subtracting(today)
    guard !gone.isEmpty else { return }
    let words =
      "this breaks SemVer: version 1 promises in [\(section)] of \(path), and it is gone or changed:\n\(list(gone))"
    Issue.record("\(words)", sourceLocation: sourceLocation)
  }

  private static func list(_ lines: Set<String>) -> String { lines.sorted().joined(separator: "\n") }

  private static func sections() throws -> [String: [String]] {
    let url = URL(filePath: Products.source(path))
    guard FileManager.default.fileExists(atPath: url.path) else { return [:] }
    var sections: [String: [String]] = [:]
    var name = ""
    for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("["), line.hasSuffix("]") {
        name = String(line.dropFirst().dropLast())
      } else {
        sections[name, default: []].append(String(line))
      }
    }
    return sections
  }

  private static func add(_ lines: Set<String>, to section: String) throws {
    try file.withLock { _ in
      var sections = try sections()
      sections[section, default: []] += lines
      let text = sections.sorted { $0.key < $1.key }.map { name, lines in
        "\n[\(name)]\n" + lines.sorted().map { $0 + "\n" }.joined()
      }
      let head =
        "# What version 1 promises to programs (docs/compatibility.md). Lines are only added: WAYBILL_TEST_STORE=1.\n"
      try (head + text.joined()).write(toFile: Products.source(path), atomically: true, encoding: .utf8)
    }
  }
}
