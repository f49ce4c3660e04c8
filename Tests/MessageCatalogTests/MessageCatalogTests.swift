import Daemon
import Foundation
import SystemdLink
import Testing

/// The catalog that `journalctl -x` reads, against the ids that the daemon sends.
@Suite struct MessageCatalogTests {
  private static let catalog = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "systemd/waybill.catalog")

  private func run(_ arguments: [String], into output: URL? = nil) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/journalctl")
    process.arguments = arguments
    if let output { process.standardOutput = try FileHandle(forWritingTo: output) }
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test func eachEventHasAnIdOfItsOwn() {
    let ids = Set(MessageIdentifier.allCases.map(\.id))
    #expect(ids.count == MessageIdentifier.allCases.count)
  }

  @Test func eachEventIsExplainedUnderItsIdAndNothingElseIs() throws {
    let text = try String(contentsOf: Self.catalog, encoding: .utf8)
    let explained = text.matches(of: /(?m)^# ([a-z-]+)\n-- ([0-9a-f]{32})\nSubject: \S/).map { "\($0.1) \($0.2)" }
    #expect(explained.sorted() == MessageIdentifier.allCases.map { "\($0.rawValue) \($0.id)" }.sorted())
  }

  /// journalctl writes a field's bytes to the terminal as they are.
  @Test func noFieldWithBytesFromOutsideIsUsed() throws {
    let text = try String(contentsOf: Self.catalog, encoding: .utf8)
    let used = Set(text.matches(of: /@([A-Z_]+)@/).map { String($0.1) }).subtracting(["FIELD"])
    let outside: Set<String> = ["MESSAGE", "WAYBILL_FILE", "WAYBILL_LINK", "WAYBILL_ERROR_CODE"]
    #expect(used.intersection(outside).isEmpty, "\(used.intersection(outside))")
  }

  /// Many of one reason are one entry, which has no job.
  @Test func noSubjectOfWhatIsFoldedNamesAJob() throws {
    let text = try String(contentsOf: Self.catalog, encoding: .utf8)
    for event in ["deferred", "question", "aborted", "spool-problem"] {
      let block = try #require(
        text.components(separatedBy: "\n# \(event)\n").last?.components(separatedBy: "\n# ").first)
      #expect(!block.contains("@WAYBILL_JOB@") && !block.contains("@WAYBILL_ATTEMPT@"), "\(event)")
    }
  }

  @Test func journalctlTakesTheCatalogAndListsEveryId() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "waybill-\(UUID().uuidString)")
    defer {
      do { try FileManager.default.removeItem(at: root) } catch { Issue.record("\(root.path) stays behind: \(error)") }
    }
    let sources = root.appending(path: "usr/lib/systemd/catalog")
    for directory in [sources, root.appending(path: "var/lib/systemd/catalog")] {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }
    try FileManager.default.copyItem(at: Self.catalog, to: sources.appending(path: "waybill.catalog"))
    #expect(try run(["--root=\(root.path)", "--update-catalog"]) == 0)
    let listing = root.appending(path: "listing")
    try Data().write(to: listing)
    #expect(try run(["--root=\(root.path)", "--list-catalog"], into: listing) == 0)
    let lines = try String(contentsOf: listing, encoding: .utf8).split(separator: "\n")
    #expect(lines.map { String($0.prefix(32)) }.sorted() == MessageIdentifier.allCases.map(\.id.description).sorted())
    #expect(lines.allSatisfy { $0.contains(" Waybill: ") })
  }
}
