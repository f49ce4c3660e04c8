import ChildProcesses
import Foundation
import Testing

/// The samples of the package: `waybill` has the usual keys, `waybill-all` has all.
extension Sample {
  /// The sections: how a configuration begins one, and its heading in waybill.toml(5).
  static let sections = [
    ("[daemon]", "DAEMON"), ("[retry]", "RETRY"), ("[storage.main]", "STORAGE"), ("[backend.main]", "BACKEND"),
    ("[[spool]]", "SPOOL"), ("[webhook.main]", "WEBHOOK"),
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

  /// The part of waybill.toml(5), or of another page, below a heading.
  static func manual(_ heading: String, of page: String = "waybill.toml") throws -> String {
    let page = try String(contentsOfFile: Products.source("man/\(page).5"), encoding: .utf8)
    return try #require(
      page.components(separatedBy: "\n.Sh \(heading)\n").last?.components(separatedBy: "\n.Sh ").first)
  }

  /// The keys that a part of waybill.toml(5) explains, in their order.
  static func explained(_ part: some StringProtocol) -> [String] {
    part.components(separatedBy: "\n.It Ic ").dropFirst().flatMap { item in
      item.prefix { $0 != "\n" }.replacing("Ic ", with: "").split(separator: " , ").map(String.init)
    }
  }

  /// What a page says of each key of a section, or of those in a table of it, which have another macro.
  static func explanations(
    _ heading: String, of page: String = "waybill.toml", macro: String = "Ic "
  ) throws -> [String: String] {
    var explanations: [String: String] = [:]
    let items = try manual(heading, of: page).components(separatedBy: "\n.It ").dropFirst()
    for item in items where item.hasPrefix(macro) {
      let tag = item.prefix { $0 != "\n" }
      for key in tag.replacing(macro, with: "").split(separator: ", ") {
        explanations[key.trimmingCharacters(in: .whitespaces)] = String(item.dropFirst(tag.count))
      }
    }
    return explanations
  }

  /// The letters and digits of the first paragraph of an explanation, without the macros of mdoc(7).
  static func letters(_ explanation: String) -> String {
    let lines = explanation.split(separator: "\n").map(String.init).prefix {
      $0.prefixMatch(of: /\.(?:Pp|Bl|El|Ss|It)(?: |$)/) == nil
    }
    let texts = lines.filter { !$0.hasPrefix(".\\\"") }.map { line in
      let text = line.hasPrefix(".") ? line.replacing(/(?:^\.| )[A-Z][a-z](?= |$)/, with: " ") : line
      return text.replacing(/\\(?:\(dq|\(en|&|e)/, with: "")
    }
    return texts.joined().filter { $0.isLetter || $0.isNumber }
  }

  /// The keys that waybill.toml(5) has under "Often set" in a section: the one list of usual keys. Empty if it has no levels.
  static func usual(_ heading: String) throws -> [String] {
    let parts = try manual(heading).components(separatedBy: "\n.Ss Often set\n")
    return parts.count < 2 ? [] : explained(try #require(parts[1].components(separatedBy: "\n.Ss ").first))
  }
}
