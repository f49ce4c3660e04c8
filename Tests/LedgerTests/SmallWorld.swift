import ChildProcesses
import Jobs
import MessageLiterals
import Messages
import Testing

@testable import Ledger

/// A ledger with a few jobs, and around it what the daemon does with one: the pipeline's rule for when something begins, far
/// sides that answer what the test says, people, and a clock that only the test moves.
///
/// After each step ``look()`` asks of each job what ends its wait.
struct SmallWorld {
  static let lanes = Lanes(concurrency: 3, destinations: [.backend("main"), .storage("main")])

  private let box: LedgerBox
  let isGranted: Bool
  private var opened: JobLedger?
  private(set) var attempts: [Job] = []
  private(set) var cleanups: [Cleanup] = []
  private var first: Int64 = 1
  private(set) var last: Int64 = 0
  private(set) var steps: [String] = []

  init(isGranted: Bool) throws {
    box = try LedgerBox()
    self.isGranted = isGranted
    opened = try open()
  }

  private func open() throws -> JobLedger {
    let ledger = try box.open()
    ledger.setGrantors(isGranted ? [.storage("main"): .backend("main")] : [:])
    return ledger
  }

  var ledger: JobLedger {
    get throws { try #require(opened) }
  }

  private var counts: LedgerCounts { opened?.counts ?? LedgerCounts() }

  var now: Timestamp { box.time.now }

  mutating func note(_ step: String) { steps.append(step) }

  /// Begins a new story: the jobs of the one before have ended.
  mutating func turnPage() { (first, steps) = (last + 1, []) }

  mutating func admit(_ count: Int, spool: String = "documents") async throws {
    note("admit \(count)")
    _ = try await ledger.admit((1...count).map { .sample("\($0)", spool: spool) })
    last += Int64(count)
    try await run()
  }

  mutating func pass(_ time: Duration) async throws {
    note("pass \(time)")
    box.time.pass(time)
    try await run()
  }

  mutating func end(_ job: Job, _ result: AttemptResult) async throws {
    note("\(job.number) \(job.destination): \(result)")
    attempts.removeAll { $0.number == job.number && $0.attempt == job.attempt }
    let ended = try await ledger.finish(job, result, thenTakeIn: Self.lanes)
    if let next = ended.next { attempts.append(next) }
    try await run()
  }

  mutating func end(_ cleanup: Cleanup, _ result: CleanupResult) async throws {
    note("cleanup of \(cleanup.job): \(result)")
    cleanups.removeAll { $0.job == cleanup.job }
    try await ledger.finish(cleanup, result, landing: .seconds(5))
    try await run()
  }

  /// Does what a person asked for, if it fits the job. What is in flight of a job that it stops is cut.
  mutating func carryOut(_ command: JobCommand, on number: Int64, link: StoredLink? = nil) async throws {
    note("\(number): \(command)")
    do {
      _ = try await ledger.carryOut(command, on: .number(JobNumber(rawValue: number)), by: .alice, link: link)
    } catch is Refusal {
      note("refused")
    }
    try await run()
  }

  mutating func tell(_ words: String, _ body: (JobLedger) async throws -> Void) async throws {
    note(words)
    try await body(ledger)
    try await ledger.writer.perform { _ in }  // nobody waits for what a gate hears
    try await run()
  }

  mutating func restart() async throws {
    note("restart")
    try ledger.close()
    opened = nil  // and with it its lock
    (attempts, cleanups) = ([], [])
    opened = try open()
    try await ledger.writer.perform { _ in }  // nobody waits for who grants
    try await run()
  }

  /// Begins what the pipeline would: it looks whenever a commit leaves something that can start or a time that has come.
  private mutating func run() async throws {
    while isDue {
      let before = counts
      let (jobs, owed) = try await ledger.beginDueWork(in: Self.lanes)
      attempts += jobs
      cleanups += owed
      guard !jobs.isEmpty || !owed.isEmpty || counts != before else {
        return fail("something is due and nothing begins: the pipeline would spin")
      }
    }
  }

  private var isDue: Bool {
    counts.canStart(in: Self.lanes) || (nextTime.map { $0 <= now } ?? false)
  }

  private var nextTime: Timestamp? {
    [counts.nextTime, counts.nextCleanup(in: Self.lanes)].compactMap(\.self).min()
  }

  private func fail(_ words: String) {
    Issue.record("\(words), after: \(steps.joined(separator: " · "))")
  }

  func job(_ number: Int64) async throws -> Job {
    try #require(try await ledger.job(.number(JobNumber(rawValue: number))))
  }

  func jobs() async throws -> [Job] {
    var jobs: [Job] = []
    for number in first...max(first, last) { jobs.append(try await job(number)) }
    return jobs
  }

  /// Asks of each job what ends its wait: something in flight, a time, or a person.
  func look() async throws {
    for job in try await jobs() where !job.state.isTerminal {
      if counts.holds(on: job).contains(where: { $0.reason == .paused }) { continue }
      let isInHand = try await isInHand(job)
      if !isInHand { fail("job \(job.number) is \(job.state) at \(job.destination), and nothing ends its wait") }
    }
  }

  private func isInHand(_ job: Job) async throws -> Bool {
    switch job.state {
    case .active: return attempts.contains { $0.number == job.number && $0.attempt == job.attempt }
    case .deferred: return counts.nextDue.map { next in job.nextAttemptAt.map { next <= $0 } ?? false } ?? false
    case .awaitingConfirmation: return true
    case .queued where job.waitsForCleanup:
      return cleanups.contains { $0.job == job.number } || isFull || counts.nextCleanups[job.destination] != nil
    case .queued, .awaitingCredentials, .awaitingNetwork: break
    case .registered, .skipped, .aborted, .cancelled, .discarded: return true
    }
    if isFull || counts.inFlight[job.destination] > 0 { return true }
    for destination in [job.destination] + [counts.grantors[job.destination]].compactMap(\.self) {
      switch counts.gates[destination]?.state {
      case .closed: return true
      case .asking(_, let asker, _): return try await self.job(asker.rawValue).state == .awaitingConfirmation
      case .probing(_, let probe): if attempts.contains(where: { $0.number == probe }) { return true }
      case nil, .open, .halfOpen: break
      }
    }
    return false
  }

  /// True if all slots are taken: the end of any of them asks again.
  private var isFull: Bool { counts.inFlight.total >= Self.lanes.all.slots }

  /// From now on the servers are well, and people resume what they paused and confirm what asks. Everything must end within
  /// `limit`, however long it had waited, and no gate must stay closed to what comes after it.
  mutating func getWell(within limit: Duration) async throws {
    note("all is well")
    for pause in counts.pauses { _ = try await ledger.resume(pause.target, by: .alice) }
    try await run()
    try await finish(within: limit)
    if counts.closedGates.isEmpty { return }
    try await admit(1)
    try await finish(within: limit)
    if !counts.closedGates.isEmpty { fail("a gate stays closed: \(counts.closedGates)") }
  }

  private mutating func finish(within limit: Duration) async throws {
    let start = now
    while now - start <= limit {
      try await look()
      if let job = attempts.first {
        try await end(job, job.step == .upload ? .uploaded(.sample) : .registered(.sample))
      } else if let cleanup = cleanups.first {
        try await end(cleanup, .absent)
      } else if let asking = try await jobs().first(where: { $0.state == .awaitingConfirmation }) {
        try await carryOut(.confirm(), on: asking.number.rawValue)
      } else if let next = nextTime {
        try await pass(max(.microseconds(1), next - now))
      } else {
        break
      }
    }
    for job in try await jobs() where !job.state.isTerminal { fail("job \(job.number) is \(job.state) for ever") }
  }
}

/// An answer of a server, or of this machine in its place.
enum Trouble: String, CaseIterable, Sendable {
  case unavailable, unavailableRetried, gateway, throttled, refusedKey, noNetwork, unresolved, noBucket, noTrust,
    rejected,
    noFile, lostConnection, lastDelay, unanswered, unconnected

  /// The same of the backend that is asked for a grant. Before that nothing is sent, and nothing can be lost.
  var ofGrant: AttemptResult {
    guard case .failed(var failure, let verdict) = result else { return result }
    (failure.grantor, failure.mayHaveActed) = (failure.kind == .file ? nil : .backend("main"), false)
    return .failed(failure, verdict)
  }

  var result: AttemptResult {
    switch self {
    case .unavailable: .failed(Failure(.unavailable, "503", status: 503, retryAfter: .seconds(5)), .abort)
    case .unavailableRetried: .failed(Failure(.unavailable, "503", status: 503), .retry(after: .seconds(10)))
    case .gateway: .failed(Failure(.transient, "502", status: 502), .retry(after: .seconds(10)))
    case .throttled: .failed(Failure(.throttled, "429", status: 429), .wait(after: .seconds(30)))
    case .refusedKey: .failed(Failure(.credentials, "401", status: 401), .awaitCredentials)
    case .noNetwork: .failed(Failure(.network, "refused"), .awaitNetwork)
    case .unresolved: .failed(Failure(.network, "no such name", code: Failure.unresolvedCode), .awaitNetwork)
    case .noBucket: .failed(Failure(.destination, "404", status: 404), .ask)
    case .noTrust: .failed(Failure(.destination, "not trusted"), .ask)
    case .rejected: .failed(Failure(.rejected, "422", status: 422), .ask)
    case .noFile: .failed(Failure(.file, "gone"), .ask)
    case .lostConnection: .failed(Failure(.transient, "lost", mayHaveActed: true), .retry(after: .seconds(10)))
    case .lastDelay: .failed(Failure(.transient, "502", status: 502, mayHaveActed: true), .ask)
    case .unconnected: .unanswered(Gate.Symptom(ofLook: Failure(.network, "refused"), .awaitNetwork))
    case .unanswered: .unanswered(Gate.Symptom(ofLook: Failure(.unavailable, "503", status: 503), .abort))
    }
  }
}
