import Jobs

extension SpoolOptions.MissingSidecar: Choice {}
extension SpoolOptions.Unmatched: Choice {}
extension SpoolOptions.Duplicates: Choice {}

extension SpoolOptions {
  private enum After: String, Choice {
    case delete
    case archive
    case keep
  }

  /// Reads one `[[spool]]`; nil if its name, path or destinations are missing or wrong. Adds to the parts of names that its files
  /// bring to its destinations, by their names.
  init?(_ section: inout Section, name: String?, among sections: NamedSections, captures: inout [String: [String]]) {
    _ = section.node("name")
    let path = section.requiredPath("path", example: "\"/var/spool/waybill/documents\"")
    self.init(name: name ?? "", path: path ?? "")
    let storage = section.destination("storage", among: sections)
    let backend = section.destination("backend", among: sections)
    // Before the templates that may name its parts.
    match = section.match("match")
    for place in [storage.map { "storage.\($0)" }, backend.map { "backend.\($0)" }].compactMap(\.self) {
      let known = captures[place] ?? []
      captures[place] = known + section.captures.filter { !known.contains($0) }
    }
    unmatched = section.choice("unmatched", default: unmatched)
    if section.table["unmatched"] != nil, section.table["match"] == nil {
      section.problem("unmatched", "has no effect", "it needs a line with match")
    }
    let key = section.text("key", example: quoted(self.key))
    self.key = key.flatMap { section.keyTemplate("key", $0) } ?? self.key
    link = section.linkTemplate("link")
    settle = section.duration("settle", default: settle, in: "0s"..."1d")
    settleUnseen = section.duration("settle_unseen", default: settleUnseen, in: "0s"..."7d")
    settleRenamed = section.duration("settle_renamed", default: settleRenamed, in: "0s"..."1d")
    ignore = section.patterns("ignore") ?? ignore
    let most = section.size("max_size", default: "0", in: "0"..."1024TiB")
    maxSize = most > 0 ? most : nil
    recursive = section.flag("recursive", default: recursive)
    scanInterval = section.optionalQuantity("scan_interval", example: SpanText(poll), in: "100ms"..."7d")
    let word = section.choice("after", default: After.delete)
    let archive = section.path("archive", example: "\"/var/spool/waybill/archive\"")
    if word == .archive {
      if let archive { after = .archive(archive) }
      if section.table["archive"] == nil {
        section.problem("archive", "missing", "after = \"archive\" needs a line like archive = \"/path\"")
      }
    } else if section.table["archive"] != nil, !section.hasProblem("after") {
      section.problem("archive", "has no effect", "it needs after = \"archive\"")
    }
    if word == .keep { after = .keep }
    sidecar = section.sidecar("sidecar", ignore: ignore)
    sidecarWait = section.duration("sidecar_wait", default: sidecarWait, in: "0s"..."7d")
    sidecarMissing = section.choice("sidecar_missing", default: sidecarMissing)
    for key in ["sidecar_wait", "sidecar_missing"] where section.table[key] != nil && section.table["sidecar"] == nil {
      section.problem(key, "has no effect", "it needs sidecar = \"{name}.json\"")
    }
    group = section.group(recursive: recursive)
    priority = section.integer("priority", default: priority, in: -1000...1000)
    duplicates = section.duplicates(isOfGroups: group != nil)
    if word == .keep { section.checkKeep(self) }
    if let storage, var granted = sections["storage"][storage], granted.has("from") {
      for (key, why) in [("link", "the grant names the link"), ("marker", "a grant is for one file")]
      where section.table[key] != nil {
        section.problem(
          key, "does not go with storage.\(storage), whose uploads a backend grants", "\(why): leave it out")
      }
    }
    section.finish()
    guard name != nil, path != nil, let storage, let backend else { return nil }
    self.storage = storage
    self.backend = backend
  }
}

extension Section {
  /// Returns the destination that a spool names; without a name, the only one, or the one named `main`.
  fileprivate mutating func destination(_ kind: String, among sections: NamedSections) -> String? {
    // Even those whose contents have problems.
    let names = Set(sections[kind].keys)
    let listed = quotedList(names.sorted())
    guard let text = text(kind, example: "\"main\"") else {
      if table[kind] != nil || names.isEmpty { return nil }
      if names.contains("main") { return "main" }
      if names.count == 1 { return names.first }
      return refuse(kind, "missing", "there are several, so name one of \(listed)")
    }
    guard names.contains(text) else {
      return refuse(
        kind, "there is no [\(kind).\(shownKey(text))]",
        names.isEmpty ? "add it, with its keys" : "there is \(listed)")
    }
    return text
  }

  fileprivate mutating func duplicates(isOfGroups: Bool) -> SpoolOptions.Duplicates {
    let choice = self.choice("duplicates", default: SpoolOptions.Duplicates.send)
    if choice == .send { return choice }
    if isOfGroups {
      problem("duplicates", "does not go with marker", "a group has many files: leave one of them out")
    }
    return choice
  }

  fileprivate func checkKeep(_ options: SpoolOptions) {
    let refusals = [
      ("marker", options.group != nil, "a group is claimed by a rename"),
      ("sidecar", options.sidecar != nil, "a pair is claimed by two renames"),
    ]
    for (key, isSet, why) in refusals where isSet && !hasProblem(key) {
      problem(key, "does not go with after = \"keep\"", "\(why): leave one of them out")
    }
  }
}
