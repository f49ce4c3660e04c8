import Jobs

extension SpoolOptions.Watch: Choice {}
extension SpoolOptions.MissingSidecar: Choice {}
extension SpoolOptions.Unmatched: Choice {}
extension SpoolOptions.Changed: Choice {}

extension SpoolOptions {
  /// The words of `after`.
  private enum After: String, Choice {
    case delete
    case archive
    case keep
  }

  /// The words of `folders`: the treatment of directories below a recursive spool that files were taken from.
  private enum Folders: String, Choice {
    /// They stay, so that the people who made them can use them again.
    case keep
    case remove
  }

  /// The words of `empty`: the treatment of empty files.
  fileprivate enum Empty: String, Choice {
    case send
    case ignore
  }

  /// Reads one `[[spool]]`; nil if its name, path or destinations are missing or wrong.
  init?(_ section: inout Section, name: String?, destinations: Destinations, timeZone: TimeZoneRules) {
    _ = section.node("name")
    let path = section.requiredPath("path", example: "\"/var/spool/waybill/documents\"")
    self.init(name: name ?? "", path: path ?? "")
    let storage = section.destination("storage", among: destinations.storages)
    let backend = section.destination("backend", among: destinations.backends)
    // Before the templates that may name its parts.
    match = section.match("match")
    unmatched = section.choice("unmatched", default: unmatched)
    if section.table["unmatched"] != nil, section.table["match"] == nil {
      section.problem("unmatched", "has no effect", "it needs a line with match")
    }
    let key = section.text("key", example: Quoted(self.key).description)
    self.key = key.flatMap { section.keyTemplate("key", $0) } ?? self.key
    (self.link, linkExpiry) = section.link("link")
    self.timeZone = section.timeZone("timezone") ?? timeZone
    settle = section.duration("settle", default: settle, in: "0s"..."1d")
    settleUnseen = section.duration("settle_unseen", default: settleUnseen, in: "0s"..."7d")
    settleOpen = section.duration("settle_open", default: settleOpen, in: "0s"..."7d")
    settleEmpty = section.duration("settle_empty", default: settleEmpty, in: "0s"..."7d")
    settleRenamed = section.duration("settle_renamed", default: settleRenamed, in: "0s"..."1d")
    ignore = section.patterns("ignore") ?? ignore
    only = section.patterns("only", example: "\"*.pdf\", \"*.tif\"") ?? only
    sizes = section.sizes()
    recursive = section.flag("recursive", default: recursive)
    removesFolders = section.choice("folders", default: Folders.keep) == .remove
    watch = section.choice("watch", default: watch)
    poll = section.duration("poll", default: poll, in: "100ms"..."1d")
    rescan = section.duration("rescan", default: rescan, in: "1s"..."7d")
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
    changed = section.choice("changed", default: changed)
    keepFiles = section.integer("keep_files", default: keepFiles, in: 1000...10_000_000)
    for key in ["changed", "keep_files"] where section.table[key] != nil && word != .keep {
      if !section.hasProblem("after") { section.problem(key, "has no effect", "it needs after = \"keep\"") }
    }
    sidecar = section.sidecar("sidecar", ignore: ignore)
    sidecarWait = section.duration("sidecar_wait", default: sidecarWait, in: "0s"..."7d")
    sidecarMissing = section.choice("sidecar_missing", default: sidecarMissing)
    sidecarMetadata = section.sidecarMetadata("sidecar_metadata", of: sidecar)
    for key in ["sidecar_wait", "sidecar_missing", "sidecar_metadata"]
    where section.table[key] != nil && section.table["sidecar"] == nil {
      section.problem(key, "has no effect", "it needs sidecar = \"{name}.json\"")
    }
    let hasKeep = section.table["archive_keep"] != nil
    let keep = section.duration("archive_keep", default: "1d", in: "1d"..."100y")
    archiveKeep = hasKeep ? keep : nil
    if hasKeep, word != .archive, !section.hasProblem("after") {
      section.problem("archive_keep", "has no effect", "it needs after = \"archive\"")
    }
    group = section.group(recursive: recursive)
    let expects = section.has("expect_every")
    let every = section.duration("expect_every", default: "1d", in: "1min"..."366d")
    expectEvery = expects ? every : nil
    priority = section.integer("priority", default: priority, in: -1000...1000)
    (duplicates, duplicatesWithin) = section.duplicates(isOfGroups: group != nil, signsLinks: linkExpiry != nil)
    if word == .keep { section.checkKeep(self) }
    section.finish()
    guard name != nil, path != nil, let storage, let backend else { return nil }
    self.storage = storage
    self.backend = backend
  }
}

extension Section {
  /// Reports what does not go together with files that stay where they are.
  fileprivate func checkKeep(_ options: SpoolOptions) {
    let refusals = [
      ("group", options.group != nil, "a group is claimed by a rename"),
      ("sidecar", options.sidecar != nil, "a pair is claimed by two renames"),
      ("folders", options.removesFolders, "nothing is removed from the directory"),
    ]
    for (key, isSet, why) in refusals where isSet && !hasProblem(key) {
      problem(key, "does not go with after = \"keep\"", "\(why): leave one of them out")
    }
  }

  /// Reads the limits of a file's size, and checks one against the other.
  fileprivate mutating func sizes() -> SizeLimits {
    let least = size("min_size", default: "0", in: "0"..."1024TiB")
    let most = size("max_size", default: "0", in: "0"..."1024TiB")
    let empty = choice("empty", default: SpoolOptions.Empty.send)
    if most > 0, least > most {
      problem("min_size", "is more than max_size, so that no file is ever taken", "make it smaller")
    }
    if least > 0, empty == .send, table["empty"] != nil, !hasProblem("empty") {
      problem("empty", "has no effect: an empty file is smaller than min_size", "leave one of them out")
    }
    return SizeLimits(least: least, greatest: most > 0 ? most : nil, takesEmpty: empty == .send)
  }
}
