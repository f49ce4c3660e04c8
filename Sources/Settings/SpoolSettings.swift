public import Jobs

/// `[[spool]]`: a directory, and the destinations of its files.
public struct SpoolSettings: Hashable, Sendable {
  /// The way in which the daemon learns of new files.
  public enum Watch: String, Choice {
    /// inotify or polling, by the type of the file system.
    case auto
    /// inotify.
    case inotify
    /// Polling, for network file systems.
    case poll
  }

  /// The treatment of the file of a registered job.
  public enum Disposal: Hashable, Sendable {
    /// It is removed.
    case delete
    /// It is moved into this directory.
    case archive(String)
  }

  /// The treatment of directories below a recursive spool that files were taken from.
  public enum EmptiedFolders: String, Choice {
    /// They stay, so that the people who made them can use them again.
    case keep
    /// They are removed when they are empty.
    case remove
  }

  /// The treatment of a document whose sidecar does not come in time, or cannot be used.
  public enum MissingSidecar: String, Choice {
    /// It is sent without.
    case send
    /// A person is asked first.
    case ask
  }

  /// The treatment of empty files.
  public enum Empty: String, Choice {
    /// They are taken as others are.
    case send
    /// They stay in the spool.
    case ignore
  }

  /// The spool's name. Default: the last component of `path`.
  public var name: String
  /// The directory, absolute, without a slash at its end.
  public var path: String
  /// The storage that the files go to. Default: the only one, else `main`.
  public var storage: String
  /// The backend that the links go to. Default: the only one, else `main`.
  public var backend: String
  /// The template of the object's key.
  public var key: String
  /// The template of the link, or nil for `s3://BUCKET/KEY`.
  public var link: String?
  /// The time zone of the dates in key, link, fields, tags and headers. Default: that of `[daemon]`.
  public var timeZone: TimeZoneRules
  /// The time that a file whose closing was seen must stay unchanged.
  public var settle: Duration
  /// The time that a file must stay unchanged if none of its writing was seen.
  public var settleUnseen: Duration
  /// The time that a file that somebody may have open must stay unchanged if no lease can tell.
  public var settleOpen: Duration
  /// The time that a file must stay empty before that counts as its content.
  public var settleEmpty: Duration
  /// The time that a file that was renamed into the spool rests there before it is taken.
  public var settleRenamed: Duration
  /// Patterns of names to leave alone, in upper or lower case, beside those that begin with a dot.
  public var ignore: [String]
  /// Patterns of the names of files to take, in upper or lower case; empty for all names.
  public var only: [String]
  /// The least number of bytes of a file to take.
  public var minSize: Int64
  /// The greatest number of bytes of a file to take, or nil for no limit.
  public var maxSize: Int64?
  /// The treatment of empty files.
  public var empty: Empty
  /// True if directories below the spool are watched too.
  public var recursive: Bool
  /// The treatment of directories below it that are empty once their files were taken.
  public var folders: EmptiedFolders
  /// The way in which the daemon learns of new files.
  public var watch: Watch
  /// The interval between scans of a polled spool.
  public var poll: Duration
  /// The interval between the additional scans of a watched spool.
  public var rescan: Duration
  /// The treatment of the file of a registered job.
  public var after: Disposal
  /// The pattern of the name of the marker that completes a group; nil if files are taken, and not directories.
  public var group: String?
  /// The pattern of the name of the sidecars that documents have; nil if they have none.
  public var sidecar: SidecarPattern?
  /// The time that a document waits for its sidecar.
  public var sidecarWait: Duration
  /// The treatment of a document whose sidecar does not come, or cannot be used.
  public var sidecarMissing: MissingSidecar
  /// The time after which a file leaves the archive, or nil if it stays.
  public var archiveKeep: Duration?
  /// True if several hosts have the spool, of which one works in it at a time.
  public var isShared: Bool
  /// Jobs of a higher priority go first, -1,000 … 1,000.
  public var priority: Int

  /// The patterns of `ignore` if the configuration has none.
  public static let defaultIgnore = [
    "*.tmp", "*.part", "*.partial", "*.filepart", "*.crdownload", "*~", "~$*", "Thumbs.db", "desktop.ini",
  ]
  /// The key's template if the configuration has none.
  public static let defaultKey = "{spool}/{yyyy}/{mm}/{dd}/{id}/{name}"
}

extension SpoolSettings {
  /// The words of `after`.
  private enum After: String, Choice {
    case delete
    case archive
  }

  /// Reads one `[[spool]]`; nil if its name, path or destinations are missing or wrong.
  init?(_ section: inout Section, name: String?, destinations: Destinations, timeZone: TimeZoneRules) {
    _ = section.node("name")
    let path = section.requiredPath("path", example: "\"/var/spool/waybill/documents\"")
    let storage = section.destination("storage", among: destinations.storages)
    let backend = section.destination("backend", among: destinations.backends)
    let key = section.text("key", example: Quoted(Self.defaultKey).description)
    self.key = key.flatMap { section.keyTemplate("key", $0) } ?? Self.defaultKey
    let link = section.text("link", example: "\"https://cdn.example.com/{key}\"") ?? ""
    self.link = link.isEmpty ? nil : section.linkTemplate("link", link)
    self.timeZone = section.timeZone("timezone") ?? timeZone
    settle = section.duration("settle", default: "500ms", in: "0s"..."1d")
    settleUnseen = section.duration("settle_unseen", default: "10s", in: "0s"..."7d")
    settleOpen = section.duration("settle_open", default: "5min", in: "0s"..."7d")
    settleEmpty = section.duration("settle_empty", default: "10s", in: "0s"..."7d")
    settleRenamed = section.duration("settle_renamed", default: "10ms", in: "0s"..."1d")
    ignore = section.patterns("ignore") ?? Self.defaultIgnore
    only = section.patterns("only", example: "\"*.pdf\", \"*.tif\"") ?? []
    minSize = section.size("min_size", default: "0", in: "0"..."1024TiB")
    let greatest = section.size("max_size", default: "0", in: "0"..."1024TiB")
    maxSize = greatest > 0 ? greatest : nil
    empty = section.choice("empty", default: .send)
    section.checkSizes(minSize, maxSize, empty)
    recursive = section.flag("recursive", default: false)
    folders = section.choice("folders", default: .keep)
    watch = section.choice("watch", default: .auto)
    poll = section.duration("poll", default: "10s", in: "100ms"..."1d")
    rescan = section.duration("rescan", default: "5min", in: "1s"..."7d")
    let word = section.choice("after", default: After.delete)
    let archive = section.path("archive", example: "\"/var/spool/waybill/archive\"")
    after = .delete
    if word == .archive {
      if let archive { after = .archive(archive) }
      if section.table["archive"] == nil {
        section.problem("archive", "missing", "after = \"archive\" needs a line like archive = \"/path\"")
      }
    } else if section.table["archive"] != nil, !section.hasProblem("after") {
      section.problem("archive", "has no effect", "it needs after = \"archive\"")
    }
    sidecar = section.sidecar("sidecar", ignore: ignore)
    sidecarWait = section.duration("sidecar_wait", default: "30s", in: "0s"..."7d")
    sidecarMissing = section.choice("sidecar_missing", default: .ask)
    for key in ["sidecar_wait", "sidecar_missing"] where section.table[key] != nil && section.table["sidecar"] == nil {
      section.problem(key, "has no effect", "it needs sidecar = \"{name}.json\"")
    }
    let hasKeep = section.table["archive_keep"] != nil
    let keep = section.duration("archive_keep", default: "1d", in: "1d"..."100y")
    archiveKeep = hasKeep ? keep : nil
    if hasKeep, word != .archive, !section.hasProblem("after") {
      section.problem("archive_keep", "has no effect", "it needs after = \"archive\"")
    }
    group = section.group(recursive: recursive)
    priority = section.integer("priority", default: 0, in: -1000...1000)
    isShared = section.flag("shared", default: false)
    if isShared { section.checkShared(self.key) }
    section.finish()
    guard let name, let path, let storage, let backend else { return nil }
    self.name = name
    self.path = path
    self.storage = storage
    self.backend = backend
  }
}

extension Section {
  /// Refuses what hosts that share a spool cannot do together: the other hosts must make the same key as the one that uploaded.
  fileprivate func checkShared(_ key: String) {
    for name in ["{host}", "{job}"] where key.contains(name) && !hasProblem("key") {
      problem("key", "has \(name), which differs between the hosts that share the spool", "use {id}, or shared = false")
    }
  }

  /// Checks the limits of a file's size against each other.
  fileprivate func checkSizes(_ least: Int64, _ greatest: Int64?, _ empty: SpoolSettings.Empty) {
    if let greatest, least > greatest {
      problem("min_size", "is more than max_size, so that no file is ever taken", "make it smaller")
    }
    if least > 0, empty == .send, table["empty"] != nil, !hasProblem("empty") {
      problem("empty", "has no effect: an empty file is smaller than min_size", "leave one of them out")
    }
  }
}
