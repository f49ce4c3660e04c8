public import Jobs
public import Messages

/// The answer to `GET /v1/status`: the daemon's state and work.
public struct StatusMessage: Hashable, Sendable, Codable {
  /// The ledger's identity; nil from a program that has none.
  @Nullable public var identity: LedgerIdentityMessage?
  /// The problems that keep the daemon from working as it should, first what is wrong with the configuration, then the oldest.
  public var problems: [ProblemMessage]
  /// The number of files in each spool that have not been claimed yet.
  public var untaken: [String: Int]
  /// The daemon's version.
  public var version: String
  /// The number of seconds since it started.
  public var uptime: Int64
  /// The numbers of steps in flight.
  public var activity: Activity
  /// The number of jobs in each state; every state is there.
  public var counts: [JobState: Int]
  /// The destinations whose gate is closed.
  public var gates: [HoldMessage]
  /// The pauses that a person made or has to end.
  public var pauses: [HoldMessage]
  /// The number of cleanups that are to be done at storages, including those of jobs that have left the ledger.
  public var cleanups: Int
  /// The fault of the ledger at the start, if a new one replaced it, and the consequences.
  @Nullable public var ledger: String?
  /// The code and the arguments of ``ledger``; nil for words that have none.
  @Nullable public var ledgerSaid: Message?
  /// The uploads in flight of large files.
  public var transfers: [Transfer]
  /// The destinations, in the order in which work is handed out.
  public var destinations: [DestinationMessage]
  /// The spools.
  public var spools: [SpoolMessage]

  /// The limit of all uploads together, if the configuration has one.
  @Nullable public var bandwidth: Int64?

  /// The configuration in use, and the files on disk; nil from a program that has none.
  @Nullable public var configuration: Configuration?

  /// The configuration in use, and the files on disk.
  public struct Configuration: Hashable, Sendable, Codable {
    /// The files on disk, compared with the configuration in use.
    public enum OnDisk: String, Hashable, Sendable, Codable {
      /// They are what is in use.
      case same
      /// They have changed, and nobody has had them read yet.
      case changed
      /// The last reload refused them.
      case refused
      /// They cannot be read.
      case unknown
    }

    /// The time at which the configuration in use was read.
    public var loadedAt: MessageTime
    /// The state of the files.
    public var onDisk: OnDisk

    enum CodingKeys: String, CodingKey {
      case loadedAt = "loaded_at"
      case onDisk = "on_disk"
    }

    /// Creates the message.
    public init(loadedAt: MessageTime, onDisk: OnDisk) { (self.loadedAt, self.onDisk) = (loadedAt, onDisk) }
  }

  /// The numbers of steps in flight.
  public struct Activity: Hashable, Sendable, Codable {
    /// The number of uploads in flight.
    public var upload: Int
    /// The number of registrations in flight.
    public var register: Int

    /// Creates the numbers.
    public init(upload: Int, register: Int) {
      self.upload = upload
      self.register = register
    }
  }

  /// The upload of a large file and its progress.
  public struct Transfer: Hashable, Sendable, Codable {
    /// The job's number.
    public var job: Int64
    /// The spool that the file was dropped into.
    public var spool: String
    /// The file's name, with `\xHH` for each byte that is not UTF-8. Escape it before showing it.
    public var name: String
    /// The length of the file in bytes.
    public var size: Int64
    /// The number of bytes that have been sent.
    public var sent: Int64
    /// The time at which the attempt began.
    public var since: MessageTime

    /// Creates an upload's message.
    public init(job: Int64, spool: String, name: String, size: Int64, sent: Int64, since: MessageTime) {
      self.job = job
      self.spool = spool
      self.name = name
      self.size = size
      self.sent = sent
      self.since = since
    }
  }

  enum CodingKeys: String, CodingKey {
    case problems, untaken, version, uptime, activity, counts, gates, pauses, cleanups, transfers
    case destinations, spools, bandwidth, configuration
    case identity = "ledger_identity"
    case ledger = "ledger_fault"
    case ledgerSaid = "ledger_fault_said"
  }

  /// Creates the daemon's state; states without a count have no jobs.
  public init(
    identity: LedgerIdentityMessage? = nil, version: String, uptime: Duration, activity: Activity,
    counts: [JobState: Int],
    gates: [HoldMessage] = [],
    pauses: [HoldMessage] = [], cleanups: Int = 0, ledger: Message? = nil, transfers: [Transfer] = [],
    destinations: [DestinationMessage] = [], bandwidth: Int64? = nil, configuration: Configuration? = nil,
    spools: [SpoolMessage],
    problems: [ProblemMessage] = [],
    untaken: [String: Int] = [:]
  ) {
    self.identity = identity
    self.problems = problems
    self.untaken = untaken
    self.version = version
    self.uptime = uptime.wholeSeconds
    self.activity = activity
    self.counts = Dictionary(uniqueKeysWithValues: JobState.allCases.map { ($0, counts[$0] ?? 0) })
    self.gates = gates
    self.pauses = pauses
    self.cleanups = cleanups
    self.ledger = ledger?.text
    ledgerSaid = ledger?.coded
    self.transfers = transfers
    self.destinations = destinations
    self.bandwidth = bandwidth
    self.configuration = configuration
    self.spools = spools
  }
}

/// The message of a spool in `status`.
public struct SpoolMessage: Hashable, Sendable, Codable {
  /// Its name in the configuration.
  public var name: String
  /// The directory.
  public var path: String
  /// The way in which it is watched: `inotify` or `poll`.
  public var watch: String
  /// The signs by which a file in it is recognized as finished.
  public var readiness: [String]
  /// The files for which a lease can tell if somebody has them open for writing: `all`, `own` (those of the daemon's user,
  /// because CAP_LEASE is missing) or `none` (the file system has no leases).
  public var leases: String
  /// The number of files that must be unchanged for minutes, because somebody may have them open and it cannot be found out.
  public var uncertain: Int
  /// The shell patterns of names that are ignored in it, besides those that begin with a dot.
  public var ignore: [String]
  /// The shell patterns of the names of files that are taken from it; empty for all names.
  public var only: [String]
  /// The least number of bytes of a file that is taken from it.
  public var minSize: Int64
  /// The greatest number of bytes of a file that is taken from it; nil for no limit.
  @Nullable public var maxSize: Int64?
  /// The pattern of the marker that completes a group, if it takes directories as groups; nil if it takes files.
  @Nullable public var marker: String?
  /// The expression that names of files are to match; nil if there is none.
  @Nullable public var match: String?
  /// The treatment of a file whose name does not match: `ask`, `ignore` or `send`; nil if there is no expression.
  @Nullable public var unmatched: String?
  /// The pattern of the names of sidecars that its documents have; nil if they have none.
  @Nullable public var sidecar: String?
  /// The number of names in it that are no jobs, by the reason: `ready` (waits for room), `settling`, `open`, `uncertain`,
  /// `refused`; by their size `empty`, `too-small` and `too-large`; and, as the last scan of the whole spool found them,
  /// `ignored`, `not-listed`, `unmatched`, `directory` and `not-a-file`. Reasons without a name are absent.
  public var waiting: [String: Int]
  /// The time at which the last scan ended.
  @Nullable public var lastScan: MessageTime?
  /// The time since which the oldest file waits to be taken.
  @Nullable public var oldestWaiting: MessageTime?
  /// The time at which the last file was admitted; nil if none was.
  @Nullable public var lastFile: MessageTime?
  /// The seconds within which a file is expected; nil if none is.
  @Nullable public var expectEvery: Int64?

  enum CodingKeys: String, CodingKey {
    case name, path, watch, readiness, leases, uncertain, ignore, only, marker, sidecar, waiting, match, unmatched
    case minSize = "min_size"
    case maxSize = "max_size"
    case lastScan = "last_scan"
    case oldestWaiting = "oldest_waiting"
    case lastFile = "last_file"
    case expectEvery = "expect_every"
  }

  /// Creates a spool's message.
  public init(
    name: String, path: String, watch: String, readiness: [String], leases: String = "all", uncertain: Int = 0,
    ignore: [String] = [], only: [String] = [], minSize: Int64 = 0, maxSize: Int64? = nil,
    marker: String? = nil, sidecar: String? = nil, waiting: [String: Int] = [:], lastScan: MessageTime?,
    oldestWaiting: MessageTime?, match: String? = nil, unmatched: String? = nil,
    lastFile: MessageTime? = nil, expectEvery: Int64? = nil
  ) {
    self.lastFile = lastFile
    self.expectEvery = expectEvery
    self.match = match
    self.unmatched = unmatched
    self.name = name
    self.path = path
    self.watch = watch
    self.readiness = readiness
    self.leases = leases
    self.uncertain = uncertain
    self.ignore = ignore
    self.only = only
    self.minSize = minSize
    self.maxSize = maxSize
    self.marker = marker
    self.sidecar = sidecar
    self.waiting = waiting
    self.lastScan = lastScan
    self.oldestWaiting = oldestWaiting
  }
}
