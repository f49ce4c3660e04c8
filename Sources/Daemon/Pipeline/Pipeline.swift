import Jobs
import Ledger
import Synchronization

/// Knows the order of things. It alternates three moves: the ledger hands out a job that is due; a stage does one
/// attempt; a pure function folds the result into the job's next state, and the ledger commits it.
///
/// A slot that has done one attempt goes on with the same job's next step, else with a job that is due: both are begun
/// in the commit that records the result.
final class Pipeline: Sendable {
  private struct Inbox {
    var begun: [Job] = []
    var isDraining = false
    /// Whether jobs that are queued at a destination that is no longer configured are a reload's business just now.
    var leavesStrays = false
  }

  private let ledger: JobLedger
  private let arrangement: CurrentArrangement
  private let disposals: Disposals
  private let slots: Slots
  private let inFlight: InFlight
  private let executor: any TaskExecutor
  private let inbox = Mutex(Inbox())
  private let (wakes, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// All of it runs on `executor`: the thread that transfers, so that a request's answer is followed by what comes next
  /// without another thread being woken.
  init(
    ledger: JobLedger, arrangement: CurrentArrangement, disposals: Disposals, concurrency: Int,
    executor: any TaskExecutor
  ) {
    self.ledger = ledger
    self.arrangement = arrangement
    self.disposals = disposals
    self.executor = executor
    self.inFlight = InFlight(on: executor)
    self.slots = Slots(concurrency)
  }

  private var stages: Stages { arrangement.now.stages }

  /// Says that something may be due: a file was admitted, a time has come, a person answered.
  func wake() { wakeUp.yield() }

  /// Has so many requests in flight at most from now on.
  func resize(to concurrency: Int) {
    slots.resize(to: concurrency)
    wake()
  }

  /// Leaves jobs whose destination is no longer configured to the caller, or makes questions of them again by itself.
  func leaveStrays(_ leaves: Bool) {
    inbox.withLock { $0.leavesStrays = leaves }
    wake()
  }

  /// Says where the jobs stand after a commit. What neither starts nor comes due wakes nothing.
  func update(_ counts: LedgerCounts) {
    if canStart(counts) || hasStray(counts) { wake() }
  }

  /// Admits claimed files, and begins them at once as far as slots are free.
  func admit(_ admissions: [Admission]) async throws {
    let reserved = inbox.withLock(\.isDraining) ? 0 : slots.reserve(upTo: admissions.count)
    var unused = reserved
    defer { slots.release(unused) }
    let begun = try await ledger.admit(admissions, begin: reserved, from: stages.destinations)
    unused -= begun.count
    inbox.withLock { $0.begun += begun }
    wake()
  }

  /// Cuts the attempt of a job that the operator has cancelled.
  func cut(_ job: JobNumber) { inFlight.cut(job) }

  /// Begins nothing more; what is in flight goes on.
  func drain() {
    inbox.withLock { $0.isDraining = true }
    wakeUp.finish()
  }

  /// Cuts what is still in flight, after ``drain()``.
  func cutAll() { inFlight.cutAll() }

  /// Runs until ``drain()`` was called and the last attempt has ended.
  ///
  /// - Throws: the ledger's error, where it can no longer be written.
  func run() async throws {
    try await withTaskExecutorPreference(executor) {
      try await withThrowingDiscardingTaskGroup { group in
        for await _ in wakes {
          for job in try await next() {
            group.addTask { try await self.work(job) }
          }
        }
        for job in inbox.withLock({ exchange(&$0.begun, with: []) }) {
          group.addTask { try await self.work(job) }  // begun by an admission while the drain began
        }
      }
    }
  }

  private func next() async throws -> [Job] {
    let begun = inbox.withLock { exchange(&$0.begun, with: []) }
    if hasStray(ledger.counts) { try await askOfStrays() }
    guard hasDueWork else { return begun }
    let reserved = slots.reserve(upTo: .max)
    guard reserved > 0 else { return begun }
    var unused = reserved
    defer { slots.release(unused) }
    let taken = try await ledger.take(upTo: reserved, from: stages.destinations)
    unused -= taken.count
    return begun + taken
  }

  private var hasDueWork: Bool {
    let counts = ledger.counts
    if canStart(counts) { return true }
    return counts.nextTime.map { $0 <= stages.clock.steady() } ?? false
  }

  private func canStart(_ counts: LedgerCounts) -> Bool { stages.destinations.contains(where: counts.canStart) }

  /// Whether jobs are queued at a destination that is no longer configured: admitted, or tried, while that changed.
  private func hasStray(_ counts: LedgerCounts) -> Bool {
    guard !inbox.withLock(\.leavesStrays) else { return false }
    let stages = self.stages
    return counts.queued.contains { $0.value > 0 && !stages.isConfigured($0.key) }
  }

  private func askOfStrays() async throws {
    let stages = self.stages
    _ = try await ledger.question { stages.isConfigured($0) }
  }

  /// One slot's work: attempt after attempt, until nothing is due.
  private func work(_ first: Job) async throws {
    defer {
      slots.release(1)
      wake()
    }
    var next: Job? = first
    while let job = next {
      let result = await inFlight.run(job.number) { await self.stages.attempt(job) }
      let mayGoOn = !inbox.withLock(\.isDraining) && !slots.areTooMany
      let ended = try await ledger.finish(job, result, thenTakeFrom: mayGoOn ? stages.destinations : nil)
      if let now = ended.job {
        if now.state == .registered { try await disposals.take(now) }
        if now.state.isWaiting, !stages.isConfigured(now.destination) { try await askOfStrays() }
      }
      next = ended.next
    }
  }
}
