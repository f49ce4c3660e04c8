import ChildProcesses
import Jobs
import Testing

/// Why a job does not move: over the whole product of the facts, against what the reasons mean.
@Suite(.aside) struct StandstillTests {
  private static let now = Timestamp.start
  private static let later = now + .seconds(60)
  private static let before = now + .seconds(-60)
  private static let other = JobNumber(rawValue: 7)

  private static func jobs() throws -> [Job] {
    let unfinished: [JobState] = [
      .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork,
    ]
    var jobs: [Job] = []
    for state in unfinished {
      for step in Step.allCases {
        let job = try Job.sample(in: state, step: step)
        jobs.append(job)
        if step == .upload { jobs.append(large(job)) }
        if state == .deferred { jobs += [before, later + .seconds(60), nil].map { time in job.due(at: time) } }
        if state == .awaitingConfirmation { jobs.append(job.unasked) }
        if state == .queued, step == .upload { jobs.append(job.waitingForCleanup) }
      }
    }
    return jobs
  }

  private static func large(_ job: Job) -> Job {
    var job = job
    job.identity = FileIdentity(device: 1, inode: 2, size: Job.leastLarge, modified: 4, changed: 5)
    return job
  }

  private static let gates: [Gate?] = {
    let closure = { Gate.Closure(reason: $0, since: now) }
    let reasons: [Gate.Reason] = [.unavailable, .gateway, .throttled, .credentials, .network]
    return [nil, Gate(.open(Gate.Run(memory: 3)))]
      + reasons.map { Gate(.closed(closure($0), until: later)) }
      + [
        Gate(.closed(closure(.unavailable), until: before)),
        Gate(.asking(closure(.question), other, until: later)),
        Gate(.asking(closure(.question), other, until: before)),
        Gate(.halfOpen(closure(.network), probe: nil)), Gate(.halfOpen(closure(.question), probe: other)),
        Gate(.probing(closure(.throttled), other)),
      ]
  }()

  private static let pauses: [[Pause.Target]] = [
    [], [.all], [.recovered], [.spool("documents")], [.late("documents")],
    [.destination(.storage("main"))], [.destination(.backend("main"))],
    [.intake, .spool("other"), .late("other"), .destination(.storage("other"))],
    [.all, .spool("documents"), .late("documents")],
  ]

  private static let destinations: [Destination] = [.backend("main"), .storage("main")]

  private static let slots: [(lanes: Lanes, use: SlotUse, large: SlotUse)] = {
    let none = SlotUse()
    var two = SlotUse()
    for destination in destinations { two.add(1, at: destination) }
    var large = SlotUse()
    large.add(1, at: .storage("main"))
    return [
      (Lanes(concurrency: 8, destinations: destinations), none, none),
      (Lanes(concurrency: 2, destinations: destinations), two, none),
      (Lanes(limits: [1, 1], most: 100, destinations: destinations), two, none),
      (Lanes(concurrency: 3, destinations: destinations), large, large),
      (Lanes(concurrency: 0, destinations: destinations), none, none),
    ]
  }()

  private static func cleanups(of job: Job) -> [Cleanup?] {
    guard job.waitsForCleanup else { return [nil] }
    let owed = [before, later, nil].map { time in
      Cleanup(
        job: job.number, id: job.ticket.id, spool: "documents", storage: "main", bucket: "documents", key: "a",
        aim: .remove, nextAt: time)
    }
    return [nil] + owed
  }

  /// Has each combination of the facts looked at, and tells the first faults.
  private static func each(_ fault: (Job, Standstill.Facts) -> String?) throws {
    var (count, faults) = (0, [String]())
    defer {
      #expect(count > 100_000)
      #expect(faults.isEmpty, "\(faults.count) faults: \(faults.prefix(5).joined(separator: "\n"))")
    }
    for job in try jobs() {
      for gate in gates {
        for targets in pauses {
          for (lanes, use, large) in slots {
            for cleanup in cleanups(of: job) {
              for switches in 0..<16 {
                count += 1
                var facts = Standstill.Facts(lanes: lanes, steady: now)
                (facts.gate, facts.isGateServed) = (gate, switches & 1 == 0)
                facts.pauses = targets.map { Pause($0, since: now, by: .alice) }
                (facts.use, facts.largeUse, facts.cleanup) = (use, large, cleanup)
                facts.isConfigured = switches & 2 == 0
                if count % 3 == 0 { facts.rate = (50, count % 2) }
                (facts.isLedgerFull, facts.isStopping) = (switches & 4 != 0, switches & 8 != 0)
                if let fault = fault(job, facts) { faults.append("\(job.state) at \(job.step): \(fault), \(facts)") }
              }
            }
          }
        }
      }
    }
  }

  /// Takes away what a reason names, as its end would. Nil if the job moves then, or never.
  private static func cure(_ standstill: Standstill, _ job: inout Job, _ facts: inout Standstill.Facts) -> Bool {
    switch standstill {
    case .inFlight, .ready, .question, .nothingEndsIt, .unconfigured: return false
    case .slots: (facts.use, facts.largeUse) = (SlotUse(), SlotUse())
    case .rate: facts.rate = nil
    case .deferred(let time), .gateClosed(_, let time): facts.steady = time
    case .probing, .asking: facts.gate = nil
    case .paused(let hold): facts.pauses.removeAll { $0.target == hold.target }
    case .ledgerIsFull: facts.isLedgerFull = false
    case .stopping: facts.isStopping = false
    case .cleanup(.inFlight), .cleanup(.ready):
      job.remote = .clean
      facts.cleanup = nil
    case .cleanup(let inner): return cure(inner, &job, &facts)
    }
    return true
  }

  /// True if something is missing without which nothing ends the wait, found without the rules.
  private static func lacks(_ job: Job, _ facts: Standstill.Facts) -> Bool {
    if job.state == .awaitingConfirmation, job.question == nil { return true }
    if job.state == .deferred, job.nextAttemptAt == nil { return true }
    if job.waitsForCleanup, facts.cleanup == nil { return true }
    if !facts.isGateServed, case .probing? = facts.gate?.state { return true }
    if !facts.isGateServed, case .asking(_, _, let until)? = facts.gate?.state, until > facts.steady { return true }
    return facts.lanes.all.slots == 0
  }

  @Test func removingEachReasonReleasesJob() throws {
    try Self.each { job, facts in
      guard let first = Standstill(of: job, facts) else { return "it has no reason" }
      var (now, job, facts) = (first, job, facts)
      let lacks = Self.lacks(job, facts)
      for _ in 0..<12 {
        let before = now
        guard Self.cure(before, &job, &facts) else { break }
        guard let next = Standstill(of: job, facts) else { break }
        now = next
        if now == before { break }
      }
      let isWell =
        switch now {
        case .inFlight: job.state == .active
        case .question: job.state == .awaitingConfirmation
        case .ready: job.state != .active && job.state != .awaitingConfirmation
        case .unconfigured: !facts.isConfigured
        case .nothingEndsIt, .cleanup(.nothingEndsIt): lacks
        default: false
        }
      return isWell ? nil : "it ends as \(now), from \(first)"
    }
  }

  /// An end by itself has a time that has not passed, and a person has something to do.
  @Test func everyWaitHasPossibleEnd() throws {
    try Self.each { job, facts in
      guard let standstill = Standstill(of: job, facts) else { return "it has no reason" }
      let isWell =
        switch standstill.end {
        case .time(let time): time > facts.steady
        case .person: standstill.hold != nil || standstill == .question
        case .nothing: Self.lacks(job, facts)
        case .event: true
        }
      return isWell ? nil : "\(standstill) does not end so"
    }
  }

  /// No pipeline hands out work for a storage that it does not know.
  @Test func cleanupAtRemovedStorageNeverBegins() throws {
    var facts = Standstill.Facts(lanes: Lanes(concurrency: 8, destinations: Self.destinations), steady: Self.now)
    let job = try Job.sample(in: .queued).waitingForCleanup
    let owed = try #require(Self.cleanups(of: job)[1])
    #expect(Standstill(of: owed, facts) == .ready)
    facts.isConfigured = false
    #expect(Standstill(of: owed, facts) == .unconfigured)
  }

  /// A pause holds until a person ends it; a time behind it would move nothing.
  @Test func reportsReasonThatEndsLast() throws {
    let closed = Gate(.closed(Gate.Closure(reason: .throttled, since: Self.now), until: Self.later))
    var facts = Standstill.Facts(lanes: Lanes(concurrency: 8, destinations: Self.destinations), steady: Self.now)
    facts.gate = closed
    let job = try Job.sample(in: .deferred)
    #expect(Standstill(of: job, facts)?.end == .time(Self.later), "the gate is closed for longer")
    #expect(Standstill(of: job.due(at: Self.later + .seconds(1)), facts)?.name == "time")
    facts.pauses = [Pause(.all, since: Self.now, by: .alice)]
    #expect(Standstill(of: job, facts)?.end == .person)
  }

  /// An upload that a backend grants waits for that gate too, and for the one of the two that opens last.
  @Test func lastOfTwoGatesIsNamed() throws {
    func closed(_ time: Timestamp) -> Gate {
      Gate(.closed(Gate.Closure(reason: .throttled, since: Self.now), until: time))
    }
    var facts = Standstill.Facts(lanes: Lanes(concurrency: 8, destinations: Self.destinations), steady: Self.now)
    facts.grantor = .backend("main")
    let job = try Job.sample(in: .queued)
    func hold() -> String? { Standstill(of: job, facts)?.hold?.target.name }
    #expect(hold() == nil)
    facts.grantorGate = closed(Self.later)
    #expect(hold() == "backend.main")
    facts.gate = closed(Self.later + .seconds(1))
    #expect(hold() == "storage.main")
    facts.grantorGate = Gate(.asking(Gate.Closure(reason: .question, since: Self.now), Self.other, until: Self.later))
    #expect(hold() == "backend.main" && Standstill(of: job, facts)?.end == .person)
    facts.isGrantorGateServed = false
    #expect(Standstill(of: job, facts) == .nothingEndsIt)
    facts.grantorGate = Gate(.probing(Gate.Closure(reason: .network, since: Self.now), Self.other))
    facts.isGrantorGateServed = true
    #expect(hold() == "storage.main", "a probe ends sooner than a time, as far as is known")
    facts = Standstill.Facts(lanes: facts.lanes, steady: Self.now)
    facts.grantor = .backend("main")
    facts.pauses = [Pause(.destination(.backend("main")), since: Self.now, by: .alice)]
    #expect(hold() == "backend.main")
  }
}

extension Job {
  fileprivate func due(at time: Timestamp?) -> Job {
    var job = self
    job.nextAttemptAt = time
    return job
  }

  fileprivate var unasked: Job {
    var job = self
    job.question = nil
    return job
  }

  fileprivate var waitingForCleanup: Job {
    var job = self
    job.remote = .pending
    return job
  }
}
