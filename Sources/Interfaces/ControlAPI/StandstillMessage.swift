public import Jobs

/// The one reason why an unfinished job does not move now, and what ends it.
public struct StandstillMessage: Hashable, Sendable, Codable {
  /// The kinds of thing that end it.
  public enum Ends: String, Hashable, Sendable, Codable {
    /// It ends by itself, at ``StandstillMessage/until`` at the latest.
    case time
    /// It ends by itself, with something that the daemon does or hears of.
    case event
    /// A person ends it.
    case person
    /// Nothing ends it: a defect of the daemon.
    case nothing
  }

  /// The reason, for programs (`Standstill.name`).
  public var reason: String
  /// The sentence for people: the reason, and what ends it.
  public var message: String
  /// The kind of thing that ends it.
  public var ends: Ends
  /// The time at which it ends at the latest; nil if it depends on something else.
  public var until: MessageTime?
  /// The command that ends it, or ends it sooner; nil if there is none.
  public var remedy: String?

  /// Creates the message of a job's standstill.
  ///
  /// - Parameters:
  ///   - hold: the pause or gate behind it, as it is shown.
  ///   - clockOffset: the difference from the steady clock to the wall-clock time.
  public init(_ standstill: Standstill, of job: Job, hold: HoldMessage?, clockOffset: Duration) {
    let words = StandstillWords(job: job, hold: hold, clockOffset: clockOffset)
    reason = standstill.name
    message = words.sentence(standstill)
    remedy = words.remedy(standstill)
    until = nil
    switch standstill.end {
    case .time(let time):
      ends = .time
      until = MessageTime(time + clockOffset)
    case .event: ends = .event
    case .person: ends = .person
    case .nothing: ends = .nothing
    }
  }

  /// Writes every member; an absent value is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(reason, forKey: .reason)
    try container.encode(message, forKey: .message)
    try container.encode(ends, forKey: .ends)
    try container.encode(until, forKey: .until)
    try container.encode(remedy, forKey: .remedy)
  }
}

/// The words for the standstill of one job.
private struct StandstillWords {
  let job: Job
  let hold: HoldMessage?
  let clockOffset: Duration

  private var noun: String { job.step.noun.lowercased() }
  private var failure: String { job.failure.map { ": " + DisplayText.escape($0.words) } ?? "" }

  func sentence(_ standstill: Standstill) -> String {
    switch standstill {
    case .inFlight: "its \(noun) is in flight, and goes on with the answer"
    case .ready: "its \(noun) begins next"
    case .slots(let shortage): Self.words(shortage, at: job.destination)
    case .deferred(let time): "it is tried again at \(shown(time))\(failure)"
    case .gateClosed(_, let time): "\(trouble); the next try is at \(shown(time))\(way)\(sooner)\(waiting)"
    case .probing(_, let other): "\(trouble); job \(other) tries it now\(way)\(waiting)"
    case .asking(_, let other): "\(job.destination) is on hold: job \(other) has a question about it"
    case .paused, .standsBy: sentence(of: hold)
    case .question: "it has a question: \(DisplayText.escape(job.question?.text ?? ""))"
    case .cleanup(let inner): "what its cancel left at the storage is cleaned up first: \(cleanup(inner))"
    case .unconfigured: "\(job.destination) is no longer configured: it is about to ask what to do"
    case .ledgerIsFull: "the disk under the ledger is full: it goes on once there is space"
    case .stopping: "the daemon is stopping: it goes on after the next start"
    case .nothingEndsIt(let lack):
      "nothing ends its wait (\(Self.words(lack))): this is a defect of Waybill; a restart of the daemon may help"
    }
  }

  func remedy(_ standstill: Standstill) -> String? {
    let number = job.number.rawValue
    switch standstill {
    case .inFlight, .ready, .slots, .probing, .unconfigured, .stopping: return nil
    case .deferred: return job.state == .deferred ? "waybill retry \(number)" : nil
    case .gateClosed, .paused, .standsBy: return hold?.remedy
    case .asking(_, let other): return "waybill confirm \(other), or waybill cancel \(other)"
    case .question: return "waybill confirm \(number), or waybill cancel \(number)"
    case .cleanup(let inner): return remedy(inner)
    case .ledgerIsFull, .nothingEndsIt: return "waybill status"
    }
  }

  /// The reason of the gate; the job's own trouble is told behind it.
  private var trouble: String { sentence(of: hold) }

  /// The job's own wait, if it has met a refused key or no network itself.
  private var waiting: String {
    switch job.state {
    case .awaitingCredentials: "; it waits for a working key\(failure)"
    case .awaitingNetwork: "; it waits for the network\(failure)"
    case .queued, .active, .deferred, .awaitingConfirmation, .registered, .aborted, .cancelled, .discarded, .moved: ""
    }
  }

  private var way: String { hold?.way ?? "" }

  /// The change with which the gate probes at once.
  private var sooner: String {
    switch hold?.reason {
    case Gate.Reason.credentials.rawValue: ", or once there is another key"
    case Gate.Reason.network.rawValue: ", or once the network changes"
    default: ""
    }
  }

  private func sentence(of hold: HoldMessage?) -> String {
    guard let hold else { return "\(job.destination) is on hold" }
    if hold.destination == Pause.Target.recovered.name {
      return "everything is on hold since the ledger was lost or restored"
    }
    if hold.destination == Pause.Target.all.name { return "everything is paused\(by(hold))" }
    return hold.sentence + by(hold)
  }

  private func by(_ hold: HoldMessage) -> String { hold.by.map { " by " + DisplayText.escape($0.user) } ?? "" }

  /// The standstill of the cleanup.
  private func cleanup(_ standstill: Standstill) -> String {
    switch standstill {
    case .inFlight: "that is in flight"
    case .ready: "that begins next"
    case .deferred(let time): "the next try is at \(shown(time))"
    default: sentence(standstill)
    }
  }

  private func shown(_ time: Timestamp) -> String { (time + clockOffset).rfc3339 }

  private static func words(_ shortage: SlotShortage, at destination: String) -> String {
    switch shortage {
    case .all: "all slots are in use: it begins when an attempt in flight ends"
    case .share: "the slots that are free are kept for other destinations: it begins when an attempt in flight ends"
    case .limit: "\(destination) has as many attempts in flight as it takes now: it begins when one of them ends"
    case .large: "uploads of large files have all the slots that they may have: it begins when one of them ends"
    }
  }

  private static func words(_ lack: Standstill.Lack) -> String {
    switch lack {
    case .question: "it has no question"
    case .time: "it has no time"
    case .cleanup: "no cleanup is owed"
    case .probe: "no probe is in flight"
    case .asker: "nobody is asked"
    case .slots: "no slot is in use"
    }
  }
}
