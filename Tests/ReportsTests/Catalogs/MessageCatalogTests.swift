import ChildProcesses
import Reports
import Foundation
import SystemdLink
import Testing

/// The catalog that `journalctl -x` reads, against the ids that the daemon sends.
@Suite(.slot) struct MessageCatalogTests {
  private static let catalog = Products.source("systemd/waybill.catalog")
  /// In Simplified Chinese: journalctl takes the language from the file's name.
  private static let translation = Products.source("systemd/waybill.zh_CN.catalog")

  @Test func eventIDsAreUnique() {
    let ids = Set(MessageIdentifier.allCases.map(\.id))
    #expect(ids.count == MessageIdentifier.allCases.count)
  }

  @Test(arguments: [catalog, translation]) func catalogExplainsExactlyAllEvents(_ path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let explained = text.matches(of: /(?m)^# ([a-z-]+)\n-- ([0-9a-f]{32})\nSubject: \S/).map { "\($0.1) \($0.2)" }
    #expect(explained.sorted() == MessageIdentifier.allCases.map { "\($0.name) \($0.id)" }.sorted())
  }

  /// What is to be typed, and which of an entry's fields are shown.
  @Test func translationMatchesOriginal() throws {
    let (original, translated) = (try Self.facts(of: Self.catalog), try Self.facts(of: Self.translation))
    #expect(original.map(\.id) == translated.map(\.id))
    for (one, other) in zip(original, translated) {
      #expect(one.fields == other.fields && one.commands == other.commands, "\(one.id)")
    }
  }

  private static func facts(of path: String) throws -> [(id: String, fields: Set<String>, commands: [String])] {
    try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n-- ").dropFirst().map { block in
      let programs = ["waybill ", "systemctl ", "journalctl ", "chown ", "chmod ", "ls ", "df ", "sysctl "]
      let lines = block.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
      return (
        String(block.prefix(32)), Set(block.matches(of: /@[A-Z_]+@/).map { String($0.output) }),
        lines.filter { line in programs.contains { line.hasPrefix($0) } }
      )
    }
  }

  /// journalctl writes a field's bytes to the terminal as they are.
  @Test(arguments: [catalog, translation]) func catalogUsesNoUntrustedFields(_ path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let used = Set(text.matches(of: /@([A-Z_]+)@/).map { String($0.1) }).subtracting(["FIELD"])
    let outside: Set<String> = ["MESSAGE", "WAYBILL_FILE", "WAYBILL_LINK", "WAYBILL_ERROR_CODE"]
    #expect(used.intersection(outside).isEmpty, "\(used.intersection(outside))")
  }

  /// Many of one reason are one entry, which has no job.
  @Test(arguments: [catalog, translation]) func foldedEntriesNameNoJob(_ path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for event in ["deferred", "question", "aborted", "spool-problem"] {
      let block = try #require(
        text.components(separatedBy: "\n# \(event)\n").last?.components(separatedBy: "\n# ").first)
      #expect(!block.contains("@WAYBILL_JOB@") && !block.contains("@WAYBILL_ATTEMPT@"), "\(event)")
    }
  }

  /// journalctl picks the explanation by the locale of whoever looks.
  @Test(.needs(.journalctl)) func journalctlListsCatalogsByLocale() async throws {
    let root = try TemporaryFolder()
    let sources = try root.folder("usr/lib/systemd/catalog")
    _ = try root.folder("var/lib/systemd/catalog")
    for catalog in [Self.catalog, Self.translation] {
      let file = URL(filePath: catalog)
      try FileManager.default.copyItem(at: file, to: sources.appending(path: file.lastPathComponent))
    }
    // A machine may have no Chinese locale: the test brings one.
    let locales = try root.folder("locales")
    let made = try await Command.run(
      ["localedef", "--no-archive", "-i", "zh_CN", "-f", "UTF-8", locales.appending(path: "zh_CN.UTF-8").path],
      environment: ["I18NPATH": Products.source(".build-test/locales/usr/share/i18n")])
    #expect(made.status == 0, "\(made.errors)")
    try await Command.require(["journalctl", "--root=\(root.path)", "--update-catalog"])
    for (language, subject) in [
      ("C.UTF-8", "Waybill: The ledger works again"), ("zh_CN.UTF-8", "Waybill: 台账已恢复正常"),
    ] {
      let environment = ["LC_ALL": language, "LANGUAGE": nil, "LOCPATH": locales.path]
      let listing = try await Command.run(
        ["journalctl", "--root=\(root.path)", "--list-catalog"], environment: environment)
      let lines = listing.output.split(separator: "\n")
      #expect(
        lines.map { String($0.prefix(32)) }.sorted() == MessageIdentifier.allCases.map(\.id).sorted())
      #expect(lines.allSatisfy { $0.contains(" Waybill: ") })
      #expect(lines.contains { $0.hasSuffix(subject) }, "\(language): \(listing.output)")
      let id = try #require(MessageIdentifier.allCases.first { $0.name == "ledger-recovered" }).id
      let whole = try await Command.run(
        ["journalctl", "--root=\(root.path)", "--dump-catalog", id], environment: environment)
      #expect(whole.output.contains("Defined-By: Waybill") && whole.status == 0, "\(whole)")
    }
  }
}
