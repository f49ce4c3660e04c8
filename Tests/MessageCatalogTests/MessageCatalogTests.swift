import ChildProcesses
import Daemon
import Foundation
import SystemdLink
import Testing

/// The catalog that `journalctl -x` reads, against the ids that the daemon sends.
@Suite(.slot) struct MessageCatalogTests {
  private static let catalog = Products.source("systemd/waybill.catalog")

  @Test func eachEventHasAnIdOfItsOwn() {
    let ids = Set(MessageIdentifier.allCases.map(\.id))
    #expect(ids.count == MessageIdentifier.allCases.count)
  }

  @Test func eachEventIsExplainedUnderItsIdAndNothingElseIs() throws {
    let text = try String(contentsOfFile: Self.catalog, encoding: .utf8)
    let explained = text.matches(of: /(?m)^# ([a-z-]+)\n-- ([0-9a-f]{32})\nSubject: \S/).map { "\($0.1) \($0.2)" }
    #expect(explained.sorted() == MessageIdentifier.allCases.map { "\($0.rawValue) \($0.id)" }.sorted())
  }

  /// journalctl writes a field's bytes to the terminal as they are.
  @Test func noFieldWithBytesFromOutsideIsUsed() throws {
    let text = try String(contentsOfFile: Self.catalog, encoding: .utf8)
    let used = Set(text.matches(of: /@([A-Z_]+)@/).map { String($0.1) }).subtracting(["FIELD"])
    let outside: Set<String> = ["MESSAGE", "WAYBILL_FILE", "WAYBILL_LINK", "WAYBILL_ERROR_CODE"]
    #expect(used.intersection(outside).isEmpty, "\(used.intersection(outside))")
  }

  /// Many of one reason are one entry, which has no job.
  @Test func noSubjectOfWhatIsFoldedNamesAJob() throws {
    let text = try String(contentsOfFile: Self.catalog, encoding: .utf8)
    for event in ["deferred", "question", "aborted", "spool-problem"] {
      let block = try #require(
        text.components(separatedBy: "\n# \(event)\n").last?.components(separatedBy: "\n# ").first)
      #expect(!block.contains("@WAYBILL_JOB@") && !block.contains("@WAYBILL_ATTEMPT@"), "\(event)")
    }
  }

  @Test func journalctlTakesTheCatalogAndListsEveryId() async throws {
    let root = try TemporaryFolder()
    defer { root.remove() }
    let sources = try root.folder("usr/lib/systemd/catalog")
    _ = try root.folder("var/lib/systemd/catalog")
    try FileManager.default.copyItem(
      atPath: Self.catalog, toPath: sources.appending(path: "waybill.catalog").path)
    try await Command.require(["journalctl", "--root=\(root.path)", "--update-catalog"])
    let listing = try await Command.require(["journalctl", "--root=\(root.path)", "--list-catalog"])
    let lines = listing.split(separator: "\n")
    #expect(lines.map { String($0.prefix(32)) }.sorted() == MessageIdentifier.allCases.map(\.id.description).sorted())
    #expect(lines.allSatisfy { $0.contains(" Waybill: ") })
  }
}
