public import Jobs

/// One `[[spool]]` of the configuration: the settings for finding and claiming files.
public struct SpoolOptions: Sendable, Equatable {
  /// The way in which the spool learns of files between its rescans.
  public enum Watch: Sendable, Equatable {
    /// By inotify, or by polling on a network file system.
    case auto
    /// By inotify.
    case inotify
    /// By a scan every ``SpoolOptions/poll``.
    case poll
  }

  /// The spool's name.
  public var name: String
  /// The directory that files are dropped into.
  public var path: String
  /// The time that a file whose closing was seen must stay unchanged.
  public var settle: Duration
  /// The time that a file whose writing was not seen must stay unchanged.
  public var settleUnseen: Duration
  /// The time that a file that somebody may have open must stay unchanged, if no lease can tell.
  public var settleOpen: Duration
  /// The time that a file must stay empty before that counts as its content.
  public var settleEmpty: Duration
  /// The time that a file that was renamed into the spool rests there, for the program that renamed it to look at it once more.
  public var settleRenamed: Duration
  /// Shell patterns of names to ignore, in upper or lower case. Names that begin with `.` are always ignored.
  public var ignore: [String]
  /// Shell patterns of the names of files to take, in upper or lower case; empty for all names.
  public var only: [String]
  /// The sizes of files to take.
  public var sizes: SizeLimits
  /// True if the directories below the spool are searched too.
  public var recursive: Bool
  /// True if directories below it that files were taken from are removed when they are empty.
  public var removesFolders: Bool
  /// The time between two reads of the whole directory.
  public var rescan: Duration
  /// The way in which the spool learns of files in between.
  public var watch: Watch
  /// The time between two reads of the directory if there is no inotify, and between two searches for a lost directory.
  public var poll: Duration
  /// The name of the sidecars that documents have; nil if they have none.
  public var sidecar: SidecarPattern?
  /// The time that a document waits for its sidecar.
  public var sidecarWait: Duration
  /// The pattern of the marker of groups: each directory in the spool is one unit; nil if files are taken.
  public var group: String?
  /// This daemon, if other hosts have the spool too: one of them holds it at a time. Nil for a spool of its own.
  public var daemon: SpoolHolder?

  /// Options with the defaults of the configuration.
  public init(
    name: String, path: String, settle: Duration = .milliseconds(500), settleUnseen: Duration = .seconds(10),
    settleOpen: Duration = .seconds(300), settleEmpty: Duration = .seconds(10),
    settleRenamed: Duration = .milliseconds(10),
    ignore: [String] = [
      "*.tmp", "*.part", "*.partial", "*.filepart", "*.crdownload", "*~", "~$*", "Thumbs.db", "desktop.ini",
    ],
    only: [String] = [], sizes: SizeLimits = SizeLimits(),
    recursive: Bool = false, removesFolders: Bool = false, rescan: Duration = .seconds(300), watch: Watch = .auto,
    poll: Duration = .seconds(10), sidecar: SidecarPattern? = nil, sidecarWait: Duration = .seconds(30),
    group: String? = nil
  ) {
    self.name = name
    self.path = path
    self.settle = settle
    self.settleUnseen = settleUnseen
    self.settleOpen = settleOpen
    self.settleEmpty = settleEmpty
    self.settleRenamed = settleRenamed
    self.ignore = ignore
    self.only = only
    self.sizes = sizes
    self.recursive = recursive
    self.removesFolders = removesFolders
    self.rescan = rescan
    self.watch = watch
    self.poll = poll
    self.sidecar = sidecar
    self.sidecarWait = sidecarWait
    self.group = group
  }
}

extension SettlingTimes {
  init(_ options: SpoolOptions) {
    self.init(
      settle: options.settle, settleUnseen: options.settleUnseen, settleOpen: options.settleOpen,
      settleEmpty: options.settleEmpty, settleRenamed: options.settleRenamed)
  }
}
