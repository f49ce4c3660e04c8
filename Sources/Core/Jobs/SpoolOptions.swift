/// One `[[spool]]` of the configuration, with the defaults that it has there: a directory, and the destinations of its files.
public struct SpoolOptions: Hashable, Sendable {
  /// The way in which the daemon learns of new files.
  public enum Watch: String, CaseIterable, Sendable {
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
    /// It stays where it was dropped.
    case keep
  }

  /// The treatment of a file that stays in the spool and is changed after it was sent.
  public enum Changed: String, CaseIterable, Sendable {
    /// It is sent once more, by a new job.
    case send
    /// It is left alone.
    case ignore
  }

  /// The treatment of a document whose sidecar does not come in time, or cannot be used.
  public enum MissingSidecar: String, CaseIterable, Sendable {
    /// It is sent without.
    case send
    /// A person is asked first.
    case ask
  }

  /// The treatment of a file whose name does not match.
  public enum Unmatched: String, CaseIterable, Sendable {
    /// A person is asked before it is sent.
    case ask
    /// It stays in the spool.
    case ignore
    /// It is sent; the parts of its name are empty.
    case send
  }

  /// The treatment of a file with the same bytes as an earlier one of the spool that was registered.
  public enum Duplicates: String, CaseIterable, Sendable {
    /// It is sent like any other.
    case send
    /// It is not sent, and disposed of.
    case skip
    /// It is registered with the link of the earlier one.
    case link
    /// A person is asked.
    case ask
  }

  /// The spool's name. Default: the last component of `path`.
  public var name: String
  /// The directory, absolute, without a slash at its end.
  public var path: String
  /// The storage that the files go to. Default: the only one, else `main`.
  public var storage = "main"
  /// The backend that the links go to. Default: the only one, else `main`.
  public var backend = "main"
  /// The template of the object's key.
  public var key = "{spool}/{yyyy}/{mm}/{dd}/{id}/{name}"
  /// The template of the link, or nil for `s3://BUCKET/KEY`.
  public var link: String?
  /// The time for which a signed link is valid, at most 7 days; nil for a link made from a template.
  public var linkExpiry: Duration?
  /// The time zone of the dates in key, link, fields, tags and headers. Default: that of `[daemon]`.
  public var timeZone = TimeZoneRules.utc
  /// The time that a file whose closing was seen must stay unchanged.
  public var settle = Duration.milliseconds(500)
  /// The time that a file must stay unchanged if none of its writing was seen.
  public var settleUnseen = Duration.seconds(10)
  /// The time that a file that somebody may have open must stay unchanged if no lease can show that.
  public var settleOpen = Duration.seconds(300)
  /// The time that a file must stay empty before that counts as its content.
  public var settleEmpty = Duration.seconds(10)
  /// The time that a file that was renamed into the spool stays there, so that the program that renamed it can look at it once
  /// more.
  public var settleRenamed = Duration.milliseconds(10)
  /// Shell patterns of names to ignore, in upper or lower case, beside those that begin with a dot.
  public var ignore = [
    "*.tmp", "*.part", "*.partial", "*.filepart", "*.crdownload", "*~", "~$*", "Thumbs.db", "desktop.ini",
  ]
  /// Shell patterns of the names of files to take, in upper or lower case; empty for all names.
  public var only: [String] = []
  /// The sizes of files to take.
  public var sizes = SizeLimits()
  /// True if directories below the spool are searched too.
  public var recursive = false
  /// True if directories below it that files were taken from are removed when they are empty.
  public var removesFolders = false
  /// The way in which the daemon learns of new files.
  public var watch = Watch.auto
  /// The interval between scans of a polled spool, and between two looks for a directory that is gone.
  public var poll = Duration.seconds(10)
  /// The interval between the additional scans of a watched spool.
  public var rescan = Duration.seconds(300)
  /// The treatment of the file of a registered job.
  public var after = Disposal.delete
  /// The time after which a file leaves the archive, or nil if it stays.
  public var archiveKeep: Duration?
  /// The treatment of a file that stays in the spool and is changed after it was sent.
  public var changed = Changed.send
  /// The greatest number of files that stay in the spool.
  public var keepFiles = 1_000_000
  /// The directory of the daemon that stands for `.waybill` if files stay in the spool. If they do not, it leads to those of spools
  /// whose files do. The daemon sets it; it is nil for who only looks at a spool.
  public var inPlaceState: String?
  /// The pattern of the name of the marker that completes a group: each directory is one unit; nil if files are taken.
  public var group: String?
  /// The pattern of the name of the sidecars that documents have; nil if they have none.
  public var sidecar: SidecarPattern?
  /// The time that a document waits for its sidecar.
  public var sidecarWait = Duration.seconds(30)
  /// The treatment of a document whose sidecar does not come, or cannot be used.
  public var sidecarMissing = MissingSidecar.ask
  /// The names of the sidecar's members that become metadata of the object; nil for all that fit. The backend gets all.
  public var sidecarMetadata: [String]?
  /// Jobs of a higher priority go first, -1,000 … 1,000.
  public var priority = 0
  /// The expression that names of files are to match, and whose named parts are placeholders; nil for none.
  public var match: NamePattern?
  /// The treatment of a file whose name does not match.
  public var unmatched = Unmatched.ask
  /// The time within which a file is expected, again and again; nil if none is.
  public var expectEvery: Duration?
  /// The treatment of a file with the same bytes as an earlier one.
  public var duplicates = Duplicates.send
  /// The time for which the bytes of a registered file are remembered.
  public var duplicatesWithin = Duration.seconds(90 * 86_400)

  /// The defaults.
  public init(name: String, path: String) {
    self.name = name
    self.path = path
  }

  /// The names of the parts of file names, which are placeholders.
  public var captures: Set<String> { Set(match?.captures ?? []) }

  /// True if files stay where they are: nothing is renamed or made in the directory.
  public var keepsFiles: Bool { after == .keep }

  /// The directory that the files of registered jobs are moved to; nil if they are removed.
  public var archivePath: String? { if case .archive(let path) = after { path } else { nil } }
}

/// The sizes of files that a spool takes.
public struct SizeLimits: Hashable, Sendable {
  /// The least number of bytes.
  public var least: Int64
  /// The greatest number of bytes; nil for no limit.
  public var greatest: Int64?
  /// False if empty files are ignored.
  public var takesEmpty: Bool

  /// Limits; the defaults let every size pass.
  public init(least: Int64 = 0, greatest: Int64? = nil, takesEmpty: Bool = true) {
    self.least = least
    self.greatest = greatest
    self.takesEmpty = takesEmpty
  }
}
