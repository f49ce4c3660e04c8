package import ControlAPI
package import Jobs
import Messages
import Settings

/// One summary a day: what was done since the last one, and what waits for people.
package struct DailySummary: Hashable, Sendable, Encodable {
  /// The most reasons and problems that it names.
  package static let most = 5

  /// The jobs that were registered, and the bytes of their files.
  package struct Registered: Hashable, Sendable {
    package var jobs = 0
    package var bytes: Int64 = 0

    package init(jobs: Int = 0, bytes: Int64 = 0) { (self.jobs, self.bytes) = (jobs, bytes) }

    /// Counts the events of a commit.
    mutating func add(_ events: [JobEvent]) {
      for event in events where event.kind == .registered {
        jobs += 1
        bytes +|= event.job.identity.size
      }
    }

    static func - (total: Registered, before: Registered) -> Registered {
      Registered(jobs: total.jobs - before.jobs, bytes: total.bytes - before.bytes)
    }
  }

  /// The daemon's jobs and problems at that moment.
  package struct Standing: Hashable, Sendable {
    /// The number of jobs in each phase.
    package var phases: [JobPhase: Int]
    /// The jobs that wait for a person, by their reasons, the largest group first.
    package var reasons: [ReasonGroup]
    /// The present problems.
    package var problems: [ProblemMessage]

    package init(phases: [JobPhase: Int], reasons: [ReasonGroup], problems: [ProblemMessage]) {
      (self.phases, self.reasons, self.problems) = (phases, reasons, problems)
    }
  }

  /// Jobs that wait for a person for one reason.
  private struct Reason: Hashable, Sendable, Encodable {
    let jobs: Int
    let state: JobState
    let step: Step
    let reason: String
    let reasonSaid: Message?

    enum CodingKeys: String, CodingKey {
      case jobs, state, step, reason
      case reasonSaid = "reason_said"
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(jobs, forKey: .jobs)
      try container.encode(state, forKey: .state)
      try container.encode(step, forKey: .step)
      try container.encode(reason, forKey: .reason)
      try container.encode(reasonSaid, forKey: .reasonSaid)
    }
  }

  private let since: MessageTime
  private let registered: Int
  private let bytes: Int64
  private let phases: [String: Int]
  private let reasons: [Reason]
  private let problems: [String]

  package init(since: Timestamp, _ registered: Registered, _ standing: Standing) {
    self.since = MessageTime(since)
    self.registered = registered.jobs
    bytes = registered.bytes
    phases = Dictionary(
      uniqueKeysWithValues: JobPhase.allCases.map { ($0.rawValue, standing.phases[$0, default: 0]) })
    reasons = standing.reasons.prefix(Self.most).map {
      Reason(jobs: $0.count, state: $0.state, step: $0.step, reason: $0.reason, reasonSaid: $0.reasonSaid)
    }
    problems = standing.problems.prefix(Self.most).map(\.what)
  }

  /// The bytes that its texts take in a request, roughly.
  var size: Int {
    reasons.reduce(400) { $0 + 100 + $1.reason.utf8.count + ($1.reasonSaid?.json.utf8.count ?? 0) }
      + problems.reduce(0) { $0 + 10 + $1.utf8.count }
  }
}

extension Notice {
  /// The notice of a daily summary.
  package init(
    at now: Timestamp, since: Timestamp, _ registered: DailySummary.Registered, _ standing: DailySummary.Standing
  ) {
    func count(_ phase: JobPhase) -> Int { standing.phases[phase, default: 0] }
    self.init(
      "summary", .summary, at: now,
      message: .dailySummary(
        since: since.rfc3339, registered: registered.jobs, size: registered.bytes, waiting: count(.waiting),
        working: count(.working), asking: count(.needsYou), stopped: count(.stopped),
        problems: standing.problems.count),
      remedy: count(.needsYou) + count(.stopped) > 0
        ? .command(command: "waybill list --state needs-you,stopped")
        : standing.problems.isEmpty ? nil : .command(command: "waybill status"))
    summary = DailySummary(since: since, registered, standing)
  }
}
