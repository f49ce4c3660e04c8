import Jobs

/// Templates and patterns.
extension Section {
  func keyTemplate(_ key: String, _ text: String) -> String? {
    guard let template = template(key, text, Placeholders.key) else { return nil }
    for segment in template.constantSegments {
      switch segment {
      case "": problem(key, "\(Quoted(text)) makes keys with an empty segment", "remove the extra slash")
      case ".", "..": problem(key, "\(Quoted(text)) makes keys with a . or .. segment", "leave it out")
      default: continue
      }
      return nil
    }
    // S3 takes keys of at most 1,024 bytes (Amazon S3 user guide, object key names).
    guard text.utf8.count <= 1024 else {
      problem(key, "is longer than 1,024 bytes, the limit for a key")
      return nil
    }
    return text
  }

  /// Returns a link's template, or the time for which a signed link is valid. S3 signs none for more than 7 days ("Sharing
  /// objects with presigned URLs" in the S3 user guide).
  mutating func link(_ key: String) -> (template: String?, expiry: Duration?) {
    let example = "\"https://cdn.example.com/{key}\" or { presigned = \"7d\" }"
    guard let node = node(key), case .table = node.value else {
      let link = text(key, example: example) ?? ""
      return (link.isEmpty ? nil : linkTemplate(key, link), nil)
    }
    guard var inner = section(key, example: example) else { return (nil, nil) }
    guard inner.has("presigned") else {
      inner.missing("presigned", example: "\"7d\"")
      inner.finish()
      return (nil, nil)
    }
    let expiry = inner.duration("presigned", default: "7d", in: "1s"..."7d")
    inner.finish()
    return (nil, expiry)
  }

  func linkTemplate(_ key: String, _ text: String) -> String? {
    guard template(key, text, Placeholders.link) != nil else { return nil }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), text.utf8.count <= 2048 else {
      problem(
        key, "\(Quoted(text)) does not make a valid link", "it has up to 2,048 printable ASCII characters and no blanks"
      )
      return nil
    }
    return text
  }

  func template(_ key: String, _ text: String, _ placeholders: [String]) -> Template<String>? {
    template(key, text, placeholders + captures + ["metadata.NAME"]) {
      placeholders.contains($0) || captures.contains($0) || KeyPlaceholder($0) != nil ? $0 : nil
    }
  }

  func template<Placeholder>(
    _ key: String, _ text: String, _ placeholders: [String], known: (String) -> Placeholder?
  ) -> Template<Placeholder>? {
    do throws(TemplateFault) {
      return try Template(text, known: known)
    } catch {
      switch error {
      case .unclosed: problem(key, "\(Quoted(text)) has a { that is not closed", "write placeholders like {name}")
      case .unopened: problem(key, "\(Quoted(text)) has a } that closes nothing", "write placeholders like {name}")
      case .unknown(let name):
        let near = EditDistance.nearest(to: name, among: placeholders).map { "did you mean {\($0)}?" }
        let all = placeholders.map { "{\($0)}" }.joined(separator: " ")
        problem(key, "unknown placeholder \(Quoted("{\(name)}"))", near ?? "it may have \(all)")
      }
      return nil
    }
  }

  /// Returns patterns of names.
  mutating func patterns(_ key: String, example: String = "\"*.tmp\", \"*.part\"") -> [String]? {
    guard let texts = texts(key, atMost: 100, example: "\(key) = [\(example)]") else { return nil }
    for (text, line) in texts where text.isEmpty || text.contains("/") || text.utf8.count > 255 {
      problem(
        key, "\(Quoted(text)) matches no name", "a pattern is for a name, not for a path: 1 to 255 bytes, no slash",
        line: line)
      return nil
    }
    return texts.map(\.text)
  }

  /// Returns the fields of a backend's own JSON object.
  mutating func fields(_ key: String) -> [String: String] {
    guard let inner = section(key, example: "\(key) = { file = \"{name}\" }") else { return [:] }
    var fields: [String: String] = [:]
    for (name, node) in inner.table {
      guard let text = node.text else {
        inner.wrongType(name, node, "a string", example: "\(KeyText.shown(name)) = \"{link}\"")
        continue
      }
      let names = DocumentFact.allCases.map(\.rawValue) + inner.captures + ["metadata.NAME"]
      let template = inner.template(name, text, names) { DocumentPlaceholder($0, captures: Set(inner.captures)) }
      if template != nil { fields[name] = text }
    }
    return fields
  }
}
