/// One `[[spool]]` of the configuration, with the defaults that it has there: a directory, and the destinations of its files.
public struct SpoolOptions: Hashable, Sendable {
  /// The way in which the daemon learns of new files.
  public enum Watch: String, CaseIterable, Sendable {
    /// inotify or polling, by the type of the file system. Only tests set another value.
    case auto
    case inotify
    /// Polling, for network file systems.
    case poll
  }

  /// The treatment of the file of a registered job.
  public enum Disposal: Hashable, Sendable {
    case delete
    /// It is moved into this directory.
    case archive(String)
    /// It stays where it was dropped.
    case keep
  }

  /// The treatment of a document whose sidecar does not come in time, or cannot be used.
  public enum MissingSidecar: String, CaseIterable, Sendable {
    case send
    case ask
  }

  /// The treatment of a file whose name does not match.
  public enum Unmatched: String, CaseIterable, Sendable {
    case ask
    /// It stays in the spool.
    case ignore
  }

  /// The treatment of a file with the same bytes as a registered one of the same spool.
  public enum Duplicates: String, CaseIterable, Sendable {
    case send
    /// It is not sent, and disposed of.
    case skip
  }

  /// The spool's name. Default: the last component of `path`.
  public var name: String
  /// The directory, absolute, without a slash at its end.
  public var path: String
  /// The storage that the files go to. Default: the only one, else `main`.
  public var storage = "main"
  /// The backend that the links go to. Default: the only one, else `main`.
  public var backend = "main"
  package var key = "{spool}/{yyyy}/{mm}/{dd}/{id}/{name}"
  /// The template of the link, or nil for `s3://BUCKET/KEY`.
  public var link: String?
  /// The time that a file whose closing was seen must stay unchanged.
  public var settle = Duration.milliseconds(500)
  /// The time that a file must stay unchanged if none of its writing was seen.
  public var settleUnseen = Duration.seconds(10)
  /// The time that a file must stay unchanged if no lease can show whether somebody has it open. Few writers pause for longer, and a person
  /// who waits for a document gives up after some minutes.
  public var settleOpen = Duration.seconds(300)
  /// The time that a file must stay empty before that counts as its content: a program that makes a placeholder fills it within seconds.
  public var settleEmpty = Duration.seconds(10)
  /// The time that a renamed file stays in the spool, so that the program that renamed it can look at it once more, even on a busy
  /// host.
  public var settleRenamed = Duration.milliseconds(100)
  /// Shell patterns of names to ignore, in upper or lower case, beside those that begin with a dot. The later ones are what Windows,
  /// Synology (`@eaDir`, `#recycle`) and programs that copy NTFS's streams leave.
  public var ignore = [
    "*.tmp", "*.part", "*.partial", "*.filepart", "*.crdownload", "*~", "~$*", "Thumbs.db", "desktop.ini",
    "*:Zone.Identifier", "$RECYCLE.BIN", "System Volume Information", "@eaDir", "#recycle",
  ]
  /// The greatest number of bytes of a file or group that is sent without a question; nil for no limit.
  public var maxSize: Int64?
  /// True if directories below the spool are searched too.
  public var recursive = false
  /// The way in which the daemon learns of new files.
  public var watch = Watch.auto
  /// The interval between scans; nil for the usual one, ``poll`` or ``rescan``.
  public var scanInterval: Duration?
  /// The longest interval between two looks for a missing or faulty directory: short for a person who repairs it, long enough for a
  /// file server.
  public var longestLook = Duration.seconds(10)
  /// The treatment of the file of a registered job.
  public var after = Disposal.delete
  /// The greatest number of files that stay in the spool. A scan checks each of them, and the list has some hundred bytes for each; a
  /// scan of a million takes seconds.
  public var keepFiles = 1_000_000
  /// The daemon's directory that replaces `.waybill` if files stay in the spool; for other spools it leads to the directories of such
  /// spools. The daemon sets it; commands leave it nil.
  public var inPlaceState: String?
  /// The pattern of the name of the marker that completes a group: each directory is one unit; nil if files are taken.
  public var group: String?
  /// The pattern of the name of the sidecars that documents have; nil if they have none.
  public var sidecar: SidecarPattern?
  /// The time that a document waits for its sidecar.
  public var sidecarWait = Duration.seconds(30)
  /// The treatment of a document whose sidecar does not come, or cannot be used.
  public var sidecarMissing = MissingSidecar.ask
  /// Jobs of a higher priority go first, -1,000 … 1,000.
  public var priority = 0
  /// The expression that names of files are to match, and whose named parts are placeholders; nil for none.
  public var match: NamePattern?
  /// The treatment of a file whose name does not match.
  public var unmatched = Unmatched.ask
  /// The treatment of a file with the same bytes as an earlier one.
  public var duplicates = Duplicates.send

  /// The defaults.
  public init(name: String, path: String) {
    self.name = name
    self.path = path
  }

  /// The interval between scans of a polled spool. Only scans find new files there, so a file waits for this long.
  public var poll: Duration { scanInterval ?? .seconds(10) }

  /// The interval between the additional scans of a watched spool, which find files that had no event.
  public var rescan: Duration { scanInterval ?? .seconds(300) }

  /// The interval between two looks for a directory that is gone, and at whatever has a problem.
  public var look: Duration { min(longestLook, scanInterval ?? longestLook) }

  /// The names of the parts of file names, which are placeholders.
  public var captures: Set<String> { Set(match?.captures ?? []) }

  /// True if files stay where they are: nothing is renamed or made in the directory.
  public var keepsFiles: Bool { after == .keep }

  /// The directory that the files of registered jobs are moved to; nil if they are removed.
  public var archivePath: String? { if case .archive(let path) = after { path } else { nil } }
}
