public import Jobs

/// One job with all that is known about it.
public struct JobDetailMessage: Hashable, Sendable, Codable {
  /// The job in the form of lists; its members are written beside the others.
  public var job: JobMessage
  /// The object's key.
  public var key: String
  /// The SHA-256 of all bytes in hex, if it was computed.
  public var sha256: String?
  /// The one reason why the job does not move now, and what ends it; nil once it has ended.
  public var standstill: StandstillMessage?
  /// Everything that keeps the job from its next attempt, or will when its turn comes: pauses first, then the gate.
  public var holds: [HoldMessage]
  /// The receipts of the servers.
  public var receipts: ReceiptsMessage
  /// The cleanup that is to be done at the storage after a cancel; nil if there is none.
  public var cleanup: CleanupMessage?
  /// The tries of both steps, oldest first.
  public var attempts: [AttemptMessage]
  /// The metadata that travels with the file.
  public var metadata: [String: String]
  /// The names of metadata that only the backend gets.
  public var withheld: [String]
  /// The parts of the name that `match` of the spool captured, by their names.
  public var captures: [String: String]
  /// The name of the sidecar that came with the file; nil if there is none.
  public var sidecar: String?
  /// The files of a group, counted; nil for a document.
  public var files: Files?
  /// The events of the job, oldest first.
  public var history: [HistoryMessage]

  /// The progress of a group.
  public struct Files: Hashable, Sendable, Codable {
    /// The number of files that are stored.
    public var stored: Int
    /// The number of files.
    public var all: Int

    /// Creates counts.
    public init(stored: Int, all: Int) {
      self.stored = stored
      self.all = all
    }
  }

  enum CodingKeys: String, CodingKey {
    case key, sha256, standstill, holds, receipts, cleanup, attempts, metadata, withheld, captures, sidecar, files,
      history
  }

  /// Creates the message of a job with its attempts and history. `message` is the short form of the same job, `answer` the
  /// beginning of the server's answer at its last failure.
  public init(
    _ job: Job, message: JobMessage, standstill: StandstillMessage? = nil, holds: [HoldMessage] = [],
    cleanup: CleanupMessage? = nil,
    attempts: [AttemptMessage], history: [HistoryMessage], answer: String? = nil, files: Files? = nil
  ) {
    self.files = files
    var attempts = attempts
    if let last = attempts.lastIndex(where: { $0.error != nil }) { attempts[last].error?.answer = answer }
    self.job = message
    self.job.error?.answer = answer
    self.key = job.ticket.key
    self.sha256 = job.link?.receipt?.sha256
    self.standstill = standstill
    self.holds = holds
    self.receipts = ReceiptsMessage(upload: job.link?.receipt, register: job.registration)
    self.cleanup = cleanup
    self.attempts = attempts
    self.metadata = job.ticket.metadata
    self.withheld = job.ticket.withheld
    self.captures = job.ticket.captures
    self.sidecar = job.ticket.parcel.sidecar.map { $0.pattern.sidecar(of: job.ticket.name).text }
    self.history = history
  }

  /// Reads the members of both forms.
  public init(from decoder: any Decoder) throws {
    self.job = try JobMessage(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.key = try container.decode(String.self, forKey: .key)
    self.sha256 = try container.decodeIfPresent(String.self, forKey: .sha256)
    self.standstill = try container.decodeIfPresent(StandstillMessage.self, forKey: .standstill)
    self.holds = try container.decodeIfPresent([HoldMessage].self, forKey: .holds) ?? []
    self.receipts = try container.decode(ReceiptsMessage.self, forKey: .receipts)
    self.cleanup = try container.decodeIfPresent(CleanupMessage.self, forKey: .cleanup)
    self.attempts = try container.decode([AttemptMessage].self, forKey: .attempts)
    self.metadata = try container.decode([String: String].self, forKey: .metadata)
    self.withheld = try container.decodeIfPresent([String].self, forKey: .withheld) ?? []
    self.captures = try container.decodeIfPresent([String: String].self, forKey: .captures) ?? [:]
    self.sidecar = try container.decodeIfPresent(String.self, forKey: .sidecar)
    self.files = try container.decodeIfPresent(Files.self, forKey: .files)
    self.history = try container.decode([HistoryMessage].self, forKey: .history)
  }

  /// Writes the members of both forms side by side; an absent value is null.
  public func encode(to encoder: any Encoder) throws {
    try job.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(key, forKey: .key)
    try container.encode(sha256, forKey: .sha256)
    try container.encode(standstill, forKey: .standstill)
    try container.encode(holds, forKey: .holds)
    try container.encode(receipts, forKey: .receipts)
    try container.encode(cleanup, forKey: .cleanup)
    try container.encode(attempts, forKey: .attempts)
    try container.encode(metadata, forKey: .metadata)
    try container.encode(withheld, forKey: .withheld)
    try container.encode(captures, forKey: .captures)
    try container.encode(sidecar, forKey: .sidecar)
    try container.encode(files, forKey: .files)
    try container.encode(history, forKey: .history)
  }
}
