import ChildProcesses
import Foundation
import Reports
import Testing

/// `docs/troubleshooting.md`, to which each alert leads, and each journal entry that leaves something to do.
struct TroubleshootingTests {
  /// The place at which the installed page is.
  private static let address = "file:///usr/share/doc/waybill/docs/troubleshooting.md"
  private static let parts = ["**It means:** ", "**Do:** "]
  /// The journal entries that leave nothing to do.
  private static let quiet: Set<String> = [
    "admitted", "activity", "uploaded", "registered", "confirmed", "retried", "released", "discarded", "cleaned",
    "ledger-recovered", "started",
  ]

  private struct Page {
    /// The headings below a heading of the second level, each with its text.
    let sections: [String: [(title: String, text: String)]]
    let text: String

    init() throws {
      text = try String(contentsOfFile: Products.source("docs/troubleshooting.md"), encoding: .utf8)
      var sections: [String: [(title: String, text: String)]] = [:]
      for chapter in text.components(separatedBy: "\n## ").dropFirst() {
        let name = String(chapter.prefix { $0 != "\n" })
        sections[name] = chapter.components(separatedBy: "\n### ").dropFirst().map { section in
          (String(section.prefix { $0 != "\n" }), section)
        }
      }
      self.sections = sections
    }
  }

  private static func alerts() throws -> [(name: String, page: String?)] {
    let rules = try String(contentsOfFile: Products.source("etc/waybill.rules.yml"), encoding: .utf8)
    return rules.components(separatedBy: "- alert: ").dropFirst().map { rule in
      let address = rule.firstMatch(of: /\n\s+runbook_url: "([^"]+)"/).map { String($0.1) }
      return (String(rule.prefix { $0 != "\n" }), address)
    }
  }

  @Test func everyAlertLinksToItsSection() throws {
    let alerts = try Self.alerts()
    #expect(alerts.count >= 10)
    let sections = try #require(try Page().sections["Alerts"])
    #expect(sections.map(\.title) == alerts.map(\.name), "the same alerts in the same order")
    for alert in alerts { #expect(alert.page == "\(Self.address)#\(alert.name.lowercased())", "\(alert.name)") }
  }

  @Test(arguments: ["systemd/waybill.catalog", "systemd/waybill.zh_CN.catalog"])
  func journalEntriesLinkToTheirSections(_ path: String) throws {
    let catalog = try String(contentsOfFile: Products.source(path), encoding: .utf8)
    let anchors = Self.anchors(of: try Page().text)
    for event in MessageIdentifier.allCases.map(\.name) {
      let block = try #require(catalog.components(separatedBy: "\n# \(event)\n").last)
      let documentation = block.split(separator: "\n").first { $0.hasPrefix("Documentation: ") } ?? ""
      let link = documentation.components(separatedBy: " file:").dropFirst().last.map { "file:" + $0 }
      if Self.quiet.contains(event) {
        #expect(link == nil, "\(path): \(event): \(documentation)")
      } else {
        let isThere = anchors.contains { link == "\(Self.address)#\($0)" }
        #expect(isThere, "\(path): \(event): \(documentation)")
      }
    }
  }

  @Test func everySectionHasAllParts() throws {
    let page = try Page()
    for section in page.sections["Alerts"] ?? [] {
      let places = Self.parts.map { section.text.range(of: "\n" + $0)?.lowerBound }
      #expect(places.allSatisfy { $0 != nil }, "\(section.title)")
      #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(section.title)")
      #expect(!section.text.contains("**Do:** Nothing"), "\(section.title)")
    }
  }

  @Test func everyNamedCommandExists() throws {
    let page = try String(contentsOfFile: Products.source("man/waybill.1"), encoding: .utf8)
    for command in Set(try Page().text.matches(of: /waybill ([a-z][a-z-]+)(?=[ `\n])/).map { String($0.1) }) {
      #expect(page.contains("waybill \(command)") || page.contains("Cm \(command)"), "waybill \(command)")
    }
  }

  /// The anchors that a heading gets: in lower case, without marks, with a hyphen for each space.
  private static func anchors(of text: String) -> Set<String> {
    Set(
      text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
        line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
          .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == " " }.replacing(" ", with: "-")
      })
  }
}
