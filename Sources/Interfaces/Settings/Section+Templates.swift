import Jobs
import Linux
import PCRE2

extension Section {
  func keyTemplate(_ key: String, _ text: String) -> String? {
    guard let template = template(key, text, Placeholders.key) else { return nil }
    for segment in template.constantSegments {
      switch segment {
      case "": problem(key, "\(quoted(text)) makes keys with an empty segment", "remove the extra slash")
      case ".", "..": problem(key, "\(quoted(text)) makes keys with a . or .. segment", "leave it out")
      default: continue
      }
      return nil
    }
    // S3 takes keys of at most 1,024 bytes (Amazon S3 user guide, object key names).
    guard text.utf8.count <= 1024 else {
      return refuse(key, "is longer than 1,024 bytes, the limit for a key")
    }
    return text
  }

  mutating func linkTemplate(_ key: String) -> String? {
    guard let text = text(key, example: "\"https://cdn.example.com/{key}\""), !text.isEmpty,
      template(key, text, Placeholders.link) != nil
    else { return nil }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), text.utf8.count <= 2048 else {
      return refuse(
        key, "\(quoted(text)) does not make a valid link", "it has up to 2,048 printable ASCII characters and no blanks"
      )
    }
    return text
  }

  /// Returns a template that may have those placeholders, parts of file names, and metadata; nil if a problem was reported.
  /// - Parameter ending: what may follow a placeholder's name.
  func template(_ key: String, _ text: String, _ placeholders: [String], ending: String = "") -> Template<String>? {
    let placeholders = placeholders + captures + ["metadata.NAME"]
    do throws(TemplateFault) {
      return try Template(text) { written in
        let name = String(written.hasSuffix(ending) ? written.dropLast(ending.count) : written[...])
        return placeholders.contains(name) || (name.hasPrefix("metadata.") && name != "metadata.") ? name : nil
      }
    } catch {
      switch error {
      case .unclosed: problem(key, "\(quoted(text)) has a { that is not closed", "write placeholders like {name}")
      case .unopened: problem(key, "\(quoted(text)) has a } that closes nothing", "write placeholders like {name}")
      case .unknown(let name):
        let near = EditDistance.nearest(to: name, among: placeholders).map { "did you mean {\($0)}?" }
        let all = placeholders.map { "{\($0)}" }.joined(separator: " ")
        problem(key, "unknown placeholder \(quoted("{\(name)}"))", near ?? "it may have \(all)")
      }
      return nil
    }
  }

  /// Returns patterns of names.
  mutating func patterns(_ key: String) -> [String]? {
    guard let texts = texts(key, atMost: 100, example: "[\"*.tmp\", \"*.part\"]") else { return nil }
    for (text, line) in texts where text.isEmpty || text.contains("/") || text.utf8.count > 255 {
      return refuse(
        key, "\(quoted(text)) matches no name", "a pattern is for a name, not for a path: 1 to 255 bytes, no slash",
        line: line)
    }
    return texts.map(\.value)
  }
}

/// The placeholders that the templates of a configuration may have in braces, besides `metadata.NAME`.
enum Placeholders {
  static let key = KeyFact.allCases.map(\.rawValue)
  static let link = ["bucket", "key"] + key
  static let field = DocumentFact.allCases.map(\.rawValue)
  /// The placeholders of a backend's URL: what each attempt knows.
  static let url = field.filter { !["sidecar", "files", "null"].contains($0) }
  /// Every name that is a placeholder somewhere. A part of a name cannot have it.
  static let all = Set(link + field + ["metadata"])
}

/// The expression for names, whose parts are placeholders, and the patterns of markers and sidecars.
extension Section {
  /// Returns the expression that names of files are to match. Its parts become placeholders of the section.
  mutating func match(_ key: String) -> NamePattern? {
    guard let text = text(key, example: Self.example), !text.isEmpty else { return nil }
    do throws(NameExpressionFault) {
      let pattern = NamePattern(text, captures: try NameExpression(text).captures)
      for name in pattern.captures where Placeholders.all.contains(name) {
        problem(key, "names a part \(name), and {\(name)} is a placeholder already", "give the part another name")
      }
      captures = pattern.captures
      return pattern
    } catch {
      let place = error.position.map { ", at character \($0)" } ?? ""
      return refuse(
        key, "\(quoted(text)) is no expression for names: \(error.words)\(place)", "write it like \(Self.example)")
    }
  }

  /// The names of parts that are placeholders in these templates.
  func captures(in templates: [String]) -> Set<String> {
    Set(
      captures.filter { name in
        templates.contains { $0.contains("{\(name)}") || $0.contains("{\(name)\(KeyFact.headerEnding)}") }
      })
  }

  private static let example = #"'(?<case>\d+)_(?<kind>[a-z]+)\.pdf'"#

  mutating func group(recursive: Bool) -> String? {
    guard let marker = text("marker", example: "\"CopyComplete.txt\""), !marker.isEmpty else { return nil }
    guard !marker.contains("/"), marker.utf8.count <= 255 else {
      return refuse(
        "marker", "\(quoted(marker)) matches no name", "it is a name or a pattern of 1 to 255 bytes, without a slash")
    }
    if recursive {
      problem("recursive", "does not go with marker", "a group has all that is in its directory; remove one of them")
    }
    if table["sidecar"] != nil {
      problem("sidecar", "does not go with marker", "a description is one of the group's files; remove one of them")
    }
    return marker
  }

  mutating func sidecar(_ key: String, ignore: [String]) -> SidecarPattern? {
    guard let text = text(key, example: "\"{name}.json\""), !text.isEmpty else { return nil }
    let pattern: SidecarPattern
    do throws(SidecarPattern.Fault) {
      pattern = try SidecarPattern(text)
    } catch {
      return refuse(
        key, "\(quoted(text)) is no pattern of names beside a document",
        "write it like {name}.json or {stem}.xml: ending in .json, .xml or .txt, no slash, no dot at the beginning")
    }
    let example = pattern.sidecar(of: FileName("document.pdf"))
    if let ignored = ignore.first(where: { ShellPattern($0).matches(example.bytes) }) {
      return refuse(
        key, "\(quoted(text)) makes names that ignore leaves alone, by \(quoted(ignored))", "leave that out of ignore")
    }
    return pattern
  }
}
