/// The one reason why an unfinished job does not move now.
///
/// Each case says what ends it (``end``): a time, an event, or a person. The rules are one pure function
/// (``init(of:_:)``), for people who ask about a job and for tests that ask about all.
public indirect enum Standstill: Hashable, Sendable {
  /// A request of the job is in flight. The answer ends that.
  case inFlight
  /// Nothing holds the job: it is begun now.
  case ready
  /// The slots that it may have are in use. The end of an attempt in flight ends that.
  case slots(SlotShortage)
  /// Its last attempt failed, and it is tried again at this time, on the steady clock.
  case deferred(until: Timestamp)
  /// Nothing is sent to its destination until this time; then one job probes.
  case gateClosed(Hold, until: Timestamp)
  /// Nothing else is sent to its destination while that job probes.
  case probing(Hold, JobNumber)
  /// Nothing is sent to its destination until a person answers that job's question.
  case asking(Hold, JobNumber)
  /// A person paused it, or has to allow that it continues.
  case paused(Hold)
  /// The spool cannot be used yet.
  case late(Hold)
  /// It has a question, which a person answers.
  case question
  /// The cleanup that its cancel left must be done first. The cleanup has a standstill of its own.
  case cleanup(Standstill)
  /// Its destination is not configured. That becomes a question at once.
  case unconfigured
  /// The disk under the ledger is full: nothing begins before there is space.
  case ledgerIsFull
  /// The daemon stops, and begins nothing more. The next start ends that.
  case stopping
  /// Nothing ends it, because this is missing: a defect of the daemon.
  case nothingEndsIt(Lack)

  /// The thing without which nothing ends a standstill.
  public enum Lack: String, Sendable, CaseIterable {
    /// The job waits for an answer, and has no question.
    case question
    /// The job waits for a time, and has none.
    case time
    /// The job waits for its cleanup, and none is owed.
    case cleanup
    /// The gate waits for a probe, and none is in flight.
    case probe
    /// The gate waits for the answer to a question, and nobody is asked.
    case asker
    /// No slot is free, and no attempt is in flight whose end frees one.
    case slots
  }

  /// The kind of thing that ends a standstill.
  public enum End: Hashable, Sendable {
    /// It ends by itself, at this time at the latest (on the steady clock).
    case time(Timestamp)
    /// It ends by itself, with an event that the daemon causes or receives.
    case event
    /// A person ends it.
    case person
    /// Nothing ends it.
    case nothing
  }

  /// The thing that ends it.
  public var end: End {
    switch self {
    case .inFlight, .ready, .slots, .probing, .late, .unconfigured, .ledgerIsFull, .stopping: .event
    case .deferred(let time), .gateClosed(_, let time): .time(time)
    case .asking, .paused, .question: .person
    case .cleanup(let standstill): standstill.end
    case .nothingEndsIt: .nothing
    }
  }

  /// The pause or the gate behind it, if there is one.
  public var hold: Hold? {
    switch self {
    case .gateClosed(let hold, _), .probing(let hold, _), .asking(let hold, _), .paused(let hold), .late(let hold):
      hold
    case .cleanup(let standstill): standstill.hold
    case .inFlight, .ready, .slots, .deferred, .question, .unconfigured, .ledgerIsFull, .stopping, .nothingEndsIt: nil
    }
  }

  /// The name that programs see.
  public var name: String {
    switch self {
    case .inFlight: "in-flight"
    case .ready: "ready"
    case .slots: "slots"
    case .deferred: "time"
    case .gateClosed: "gate"
    case .probing: "probe"
    case .asking: "asked"
    case .paused: "paused"
    case .late: "late"
    case .question: "question"
    case .cleanup: "cleanup"
    case .unconfigured: "unconfigured"
    case .ledgerIsFull: "ledger"
    case .stopping: "stopping"
    case .nothingEndsIt: "nothing"
    }
  }
}

/// The reason why no slot is free for an attempt.
public enum SlotShortage: String, Sendable, CaseIterable {
  /// All slots are in use.
  case all
  /// The slots that are free are kept for other destinations.
  case share
  /// The destination has as many attempts in flight as its own limit allows.
  case limit
  /// The slots that uploads of large files may have are in use.
  case large
}
