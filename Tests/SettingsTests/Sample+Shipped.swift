import ChildProcesses
import Foundation
import Testing

/// The samples of the package: `waybill` has the usual keys, `waybill-all` has all.
extension Sample {
  /// The sections: how a configuration begins one, and its heading in waybill.toml(5).
  static let sections = [
    ("[daemon]", "DAEMON"), ("[retry]", "RETRY"), ("[storage.main]", "STORAGE"), ("[backend.main]", "BACKEND"),
    ("[[spool]]", "SPOOL"), ("[notify]", "NOTIFY"), ("[webhook.main]", "WEBHOOK"),
  ]

  static func shipped(_ name: String) throws -> String {
    try String(contentsOfFile: Products.source("etc/\(name).toml"), encoding: .utf8)
  }

  /// The lines of a section. One that nobody needs is there as a comment.
  static func lines(of section: String, in text: String) -> [Substring] {
    let parts = text.replacing("\n#[", with: "\n[").split(separator: "\n\(section)\n", omittingEmptySubsequences: false)
    return parts.count < 2 ? [] : Array(parts[parts.count - 1].split(separator: "\n").prefix { !$0.hasPrefix("[") })
  }

  /// The keys that a section shows, with a value or as a comment, in their order.
  static func keys(of section: String, in text: String) -> [String] {
    lines(of: section, in: text).compactMap { $0.firstMatch(of: #/^#?([a-z_]+) =/#)?.1 }.map(String.init)
  }

  /// The part of waybill.toml(5) below a heading.
  static func manual(_ heading: String) throws -> String {
    let page = try String(contentsOfFile: Products.source("man/waybill.toml.5"), encoding: .utf8)
    return try #require(
      page.components(separatedBy: "\n.Sh \(heading)\n").last?.components(separatedBy: "\n.Sh ").first)
  }

  /// The keys that a part of waybill.toml(5) explains, in their order.
  static func explained(_ part: some StringProtocol) -> [String] {
    part.components(separatedBy: "\n.It Ic ").dropFirst().flatMap { item in
      item.prefix { $0 != "\n" }.replacing("Ic ", with: "").split(separator: " , ").map(String.init)
    }
  }

  /// What waybill.toml(5) says of each key of a section.
  static func explanations(_ heading: String) throws -> [String: String] {
    var explanations: [String: String] = [:]
    for item in try manual(heading).components(separatedBy: "\n.It ").dropFirst() where item.hasPrefix("Ic ") {
      let tag = item.prefix { $0 != "\n" }
      for key in tag.replacing("Ic ", with: "").split(separator: ", ") {
        explanations[key.trimmingCharacters(in: .whitespaces)] = String(item.dropFirst(tag.count))
      }
    }
    return explanations
  }

  /// The keys that waybill.toml(5) has under "Often set" in a section: the one list of usual keys. Empty if it has no levels.
  static func usual(_ heading: String) throws -> [String] {
    let parts = try manual(heading).components(separatedBy: "\n.Ss Often set\n")
    return parts.count < 2 ? [] : explained(try #require(parts[1].components(separatedBy: "\n.Ss ").first))
  }
}
