/// One `[[spool]]` of the configuration, as far as finding and claiming files goes.
public struct SpoolOptions: Sendable, Equatable {
  /// How the spool learns of files between its rescans.
  public enum Watch: Sendable, Equatable {
    /// By inotify, or by polling where the file system is a network's.
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
  /// How long a file whose closing was seen must stay unchanged.
  public var settle: Duration
  /// How long a file must stay unchanged of whose writing nothing was seen.
  public var settleUnseen: Duration
  /// How long a file that somebody may have open must stay unchanged where no lease can tell.
  public var settleOpen: Duration
  /// How long a file must stay empty before that counts as its content.
  public var settleEmpty: Duration
  /// Shell patterns of names to leave alone, in upper or lower case. Names that begin with `.` always are.
  public var ignore: [String]
  /// Whether directories below the spool are looked into too.
  public var recursive: Bool
  /// Whether directories below it that files went from are removed when they are empty.
  public var removesFolders: Bool
  /// How often the whole directory is read anew.
  public var rescan: Duration
  /// How the spool learns of files in between.
  public var watch: Watch
  /// How often the directory is read where there is no inotify, and how often a lost one is looked for.
  public var poll: Duration

  /// Options with the defaults of the configuration.
  public init(
    name: String, path: String, settle: Duration = .milliseconds(500), settleUnseen: Duration = .seconds(10),
    settleOpen: Duration = .seconds(300), settleEmpty: Duration = .seconds(10),
    ignore: [String] = [
      "*.tmp", "*.part", "*.partial", "*.filepart", "*.crdownload", "*~", "~$*", "Thumbs.db", "desktop.ini",
    ],
    recursive: Bool = false, removesFolders: Bool = false, rescan: Duration = .seconds(300), watch: Watch = .auto,
    poll: Duration = .seconds(10)
  ) {
    self.name = name
    self.path = path
    self.settle = settle
    self.settleUnseen = settleUnseen
    self.settleOpen = settleOpen
    self.settleEmpty = settleEmpty
    self.ignore = ignore
    self.recursive = recursive
    self.removesFolders = removesFolders
    self.rescan = rescan
    self.watch = watch
    self.poll = poll
  }
}

extension SettlingTimes {
  init(_ options: SpoolOptions) {
    self.init(
      settle: options.settle, settleUnseen: options.settleUnseen, settleOpen: options.settleOpen,
      settleEmpty: options.settleEmpty)
  }
}
