public import Jobs

/// What `GET /v1/status` answers: how the daemon is and what it does.
public struct StatusMessage: Hashable, Sendable, Codable {
  /// What keeps the daemon from working as it should, the oldest first.
  public var problems: [ProblemMessage]
  /// How many files stand in each spool and have not been taken yet.
  public var untaken: [String: Int]
  /// The daemon's version.
  public var version: String
  /// Seconds since it started.
  public var uptime: Int64
  /// How many steps are in flight.
  public var activity: Activity
  /// How many jobs are in each state; every state is there.
  public var counts: [State: Int]
  /// Destinations that are closed for now.
  public var gates: [HoldMessage]
  /// What was closed by hand.
  public var pauses: [HoldMessage]
  /// How many cancelled jobs owe something at a storage, those included that have left the ledger.
  public var cleanups: Int
  /// What was wrong with the ledger at the start, where a new one took its place, and what follows from that.
  public var ledger: String?
  /// The uploads in flight of large files.
  public var transfers: [Transfer]
  /// The spools.
  public var spools: [SpoolMessage]

  /// Steps in flight.
  public struct Activity: Hashable, Sendable, Codable {
    /// Uploads in flight.
    public var upload: Int
    /// Registrations in flight.
    public var register: Int

    /// So many steps in flight.
    public init(upload: Int, register: Int) {
      self.upload = upload
      self.register = register
    }
  }

  /// The upload of a large file, and how far it has come.
  public struct Transfer: Hashable, Sendable, Codable {
    /// The job's number.
    public var job: Int64
    /// The spool that the file was dropped into.
    public var spool: String
    /// The file's name, with `\xHH` for each byte that is not UTF-8. Escape it before showing it.
    public var name: String
    /// Length of the file in bytes.
    public var size: Int64
    /// How many of them have been sent.
    public var sent: Int64
    /// When the attempt began.
    public var since: MessageTime

    /// An upload.
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
    case problems, untaken, version, uptime, activity, counts, gates, pauses, cleanups, ledger, transfers, spools
  }

  /// The state of the daemon; states without a count have none.
  public init(
    version: String, uptime: Duration, activity: Activity, counts: [State: Int], gates: [HoldMessage] = [],
    pauses: [HoldMessage] = [], cleanups: Int = 0, ledger: String? = nil, transfers: [Transfer] = [],
    spools: [SpoolMessage], problems: [ProblemMessage] = [], untaken: [String: Int] = [:]
  ) {
    self.problems = problems
    self.untaken = untaken
    self.version = version
    self.uptime = uptime.components.seconds
    self.activity = activity
    self.counts = Dictionary(uniqueKeysWithValues: State.allCases.map { ($0, counts[$0] ?? 0) })
    self.gates = gates
    self.pauses = pauses
    self.cleanups = cleanups
    self.ledger = ledger
    self.transfers = transfers
    self.spools = spools
  }

  /// Reads the message; a state that is not counted has no jobs.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.problems = try container.decodeIfPresent([ProblemMessage].self, forKey: .problems) ?? []
    self.untaken = try container.decodeIfPresent([String: Int].self, forKey: .untaken) ?? [:]
    self.version = try container.decode(String.self, forKey: .version)
    self.uptime = try container.decode(Int64.self, forKey: .uptime)
    self.activity = try container.decode(Activity.self, forKey: .activity)
    let named = try container.decode([String: Int].self, forKey: .counts)
    self.counts = Dictionary(uniqueKeysWithValues: State.allCases.map { ($0, named[$0.rawValue] ?? 0) })
    self.gates = try container.decode([HoldMessage].self, forKey: .gates)
    self.pauses = try container.decode([HoldMessage].self, forKey: .pauses)
    self.cleanups = try container.decodeIfPresent(Int.self, forKey: .cleanups) ?? 0
    self.ledger = try container.decodeIfPresent(String.self, forKey: .ledger)
    self.transfers = try container.decodeIfPresent([Transfer].self, forKey: .transfers) ?? []
    self.spools = try container.decode([SpoolMessage].self, forKey: .spools)
  }

  /// Writes the message, with all states.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(problems, forKey: .problems)
    try container.encode(untaken, forKey: .untaken)
    try container.encode(version, forKey: .version)
    try container.encode(uptime, forKey: .uptime)
    try container.encode(activity, forKey: .activity)
    let named = State.allCases.map { ($0.rawValue, counts[$0] ?? 0) }
    try container.encode(Dictionary(uniqueKeysWithValues: named), forKey: .counts)
    try container.encode(gates, forKey: .gates)
    try container.encode(pauses, forKey: .pauses)
    try container.encode(cleanups, forKey: .cleanups)
    try container.encode(ledger, forKey: .ledger)
    try container.encode(transfers, forKey: .transfers)
    try container.encode(spools, forKey: .spools)
  }
}

/// A spool as `status` shows it.
public struct SpoolMessage: Hashable, Sendable, Codable {
  /// Its name in the configuration.
  public var name: String
  /// The directory.
  public var path: String
  /// How it is watched: `inotify` or `poll`.
  public var watch: String
  /// By which signs a file in it is known to be finished.
  public var readiness: [String]
  /// The files of which a lease can tell whether somebody has them open for writing: `all`, `own` (the daemon's user's, as
  /// CAP_LEASE is missing) or `none` (the file system has no leases).
  public var leases: String
  /// The number of files that wait for `settle_open`, since somebody may have them open and nobody can tell.
  public var uncertain: Int
  /// The shell patterns of names that are left alone in it, beside those that begin with a dot.
  public var ignore: [String]
  /// When the last scan ended.
  public var lastScan: MessageTime?
  /// Since when the oldest file waits to be taken.
  public var oldestWaiting: MessageTime?

  enum CodingKeys: String, CodingKey {
    case name, path, watch, readiness, leases, uncertain, ignore
    case lastScan = "last_scan"
    case oldestWaiting = "oldest_waiting"
  }

  /// A spool as `status` shows it.
  public init(
    name: String, path: String, watch: String, readiness: [String], leases: String = "all", uncertain: Int = 0,
    ignore: [String] = [], lastScan: MessageTime?, oldestWaiting: MessageTime?
  ) {
    self.name = name
    self.path = path
    self.watch = watch
    self.readiness = readiness
    self.leases = leases
    self.uncertain = uncertain
    self.ignore = ignore
    self.lastScan = lastScan
    self.oldestWaiting = oldestWaiting
  }

  /// Reads the message; a daemon that says nothing of leases has no trouble with them.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try container.decode(String.self, forKey: .name), path: try container.decode(String.self, forKey: .path),
      watch: try container.decode(String.self, forKey: .watch),
      readiness: try container.decode([String].self, forKey: .readiness),
      leases: try container.decodeIfPresent(String.self, forKey: .leases) ?? "all",
      uncertain: try container.decodeIfPresent(Int.self, forKey: .uncertain) ?? 0,
      ignore: try container.decodeIfPresent([String].self, forKey: .ignore) ?? [],
      lastScan: try container.decodeIfPresent(MessageTime.self, forKey: .lastScan),
      oldestWaiting: try container.decodeIfPresent(MessageTime.self, forKey: .oldestWaiting))
  }

  /// Writes every member; what is absent is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(path, forKey: .path)
    try container.encode(watch, forKey: .watch)
    try container.encode(readiness, forKey: .readiness)
    try container.encode(leases, forKey: .leases)
    try container.encode(uncertain, forKey: .uncertain)
    try container.encode(ignore, forKey: .ignore)
    try container.encode(lastScan, forKey: .lastScan)
    try container.encode(oldestWaiting, forKey: .oldestWaiting)
  }
}
