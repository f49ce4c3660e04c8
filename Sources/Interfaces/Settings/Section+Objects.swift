import Jobs

/// Tags and locks of objects.
extension Section {
  /// Returns the tags of a storage's objects: a template by name.
  mutating func tags(_ key: String, headers: [String: String]) -> [String: String] {
    let example = "\(key) = { type = \"{ext}\", case = \"{metadata.case}\" }"
    guard let inner = section(key, example: example) else { return [:] }
    if headers.keys.contains(where: { $0.lowercased() == "x-amz-tagging" }) {
      problem(key, "says the same as the header x-amz-tagging", "leave that header out")
    }
    guard inner.table.count <= ObjectTag.most else {
      problem(key, "has \(inner.table.count) tags", "S3 takes at most \(ObjectTag.most) for an object")
      return [:]
    }
    var tags: [String: String] = [:]
    for (name, node) in inner.table {
      guard case .string(let text) = node.value else {
        inner.wrongType(name, node, "a string", example: "\(KeyText.shown(name)) = \"{ext}\"")
        continue
      }
      if let fault = ObjectTag.fault(ofName: name) {
        inner.problem(name, "is no name of a tag: it \(fault)")
        continue
      }
      guard let template = inner.objectTemplate(name, text) else { continue }
      let constant = template.constantText
      if let fault = ObjectTag.fault(ofValue: constant) {
        inner.problem(name, "\(Quoted(text)) is no value of a tag: it \(fault)")
        continue
      }
      tags[name] = text
    }
    return tags
  }

  /// Reads a template with the placeholders of a key; nil if a problem was reported.
  func objectTemplate(_ key: String, _ text: String) -> Template<String>? {
    template(key, text, Placeholders.key)
  }

  /// Returns the lock of a storage's objects.
  mutating func objectLock(_ key: String, headers: [String: String]) -> ObjectLock? {
    let example = "\(key) = { mode = \"compliance\", retain = \"7y\" }"
    guard var inner = section(key, example: example) else { return nil }
    if let name = headers.keys.first(where: { $0.lowercased().hasPrefix("x-amz-object-lock-") }) {
      problem(key, "says the same as the header \(name)", "leave that header out")
    }
    let mode = inner.choice("mode", default: ObjectLock.Mode.governance)
    let span = inner.retention("retain")
    let hasLegalHold = inner.flag("legal_hold", default: false)
    if inner.table["mode"] != nil, inner.table["retain"] == nil { inner.missing("retain", example: "\"7y\"") }
    if inner.table["retain"] != nil, inner.table["mode"] == nil {
      inner.missing("mode", example: "\"governance\", or \"compliance\"")
    }
    inner.finish()
    let retention = span.map { ObjectLock.Retention(mode: mode, span: $0) }
    guard retention != nil || hasLegalHold else {
      if inner.table["retain"] == nil, inner.table["mode"] == nil {
        problem(key, "locks nothing", "write it like \(example), or leave it out")
      }
      return nil
    }
    return ObjectLock(retention: retention, hasLegalHold: hasLegalHold)
  }

  private mutating func retention(_ key: String) -> RetentionSpan? {
    guard let text = text(key, example: "\"7y\"") else { return nil }
    guard let span = RetentionSpan(text) else {
      problem(key, "\(Quoted(text)) is not a time to keep an object", "write days, months or years: \"90d\", \"7y\"")
      return nil
    }
    return span
  }
}

extension Template {
  /// The text without its placeholders.
  fileprivate var constantText: String {
    parts.map { if case .text(let text) = $0 { text } else { "" } }.joined()
  }
}
