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
  /// The time that a file whose closing was seen must stay unchanged.
  public var settle: Duration
  /// The time that a file must stay unchanged if none of its writing was seen.
  public var settleUnseen: Duration
  /// The time that a file that somebody may have open must stay unchanged if no lease can tell.
  public var settleOpen: Duration
  /// The time that a file must stay empty before that counts as its content.
  public var settleEmpty: Duration
  /// Patterns of names to leave alone, in upper or lower case, beside those that begin with a dot.
  public var ignore: [String]
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
  init?(_ section: inout Section, name: String?, destinations: Destinations) {
    _ = section.node("name")
    let path = section.requiredPath("path", example: "\"/var/spool/waybill/documents\"")
    let storage = section.destination("storage", among: destinations.storages)
    let backend = section.destination("backend", among: destinations.backends)
    let key = section.text("key", example: Quoted(Self.defaultKey).description)
    self.key = key.flatMap { section.keyTemplate("key", $0) } ?? Self.defaultKey
    let link = section.text("link", example: "\"https://cdn.example.com/{key}\"") ?? ""
    self.link = link.isEmpty ? nil : section.linkTemplate("link", link)
    settle = section.duration("settle", default: "500ms", in: "0s"..."1d")
    settleUnseen = section.duration("settle_unseen", default: "10s", in: "0s"..."7d")
    settleOpen = section.duration("settle_open", default: "5min", in: "0s"..."7d")
    settleEmpty = section.duration("settle_empty", default: "10s", in: "0s"..."7d")
    ignore = section.patterns("ignore") ?? Self.defaultIgnore
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
    priority = section.integer("priority", default: 0, in: -1000...1000)
    isShared = section.flag("shared", default: false)
    section.finish()
    guard let name, let path, let storage, let backend else { return nil }
    self.name = name
    self.path = path
    self.storage = storage
    self.backend = backend
  }
}
