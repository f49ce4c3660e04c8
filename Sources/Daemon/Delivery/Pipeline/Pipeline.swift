import HTTPTransfer
package import Jobs
package import Ledger
import Linux
import Seams
import Synchronization

/// Runs the attempts ("The way of a file" in ARCHITECTURE.md).
///
/// The ledger alone decides how many run at once: a job is `active` from the commit that begins it to the commit that records its result,
/// and `Lanes` bounds the active jobs. The second commit also begins the same job's next step, or else another job that is due. Cleanups
/// come after the jobs; but at each storage one cleanup at a time goes first, so that no backlog delays cleanups for ever.
package final class Pipeline: Sendable {
  private struct Inbox {
    var begun: [Job] = []
    var isDraining = false
    /// True while a reload handles jobs whose destination is no longer configured.
    var leavesStrays = false
  }

  private let ledger: JobLedger
  private let current: CurrentConfiguration
  private let disposals: Disposals
  private let attempts: InFlight
  private let cleanups: InFlight
  private let executor: any TaskExecutor
  private let inbox = Mutex(Inbox())
  /// The number of requests that may be in flight, as last set.
  private let places = Mutex(0)
  private let networkChanges = Atomic(0)
  private let setPlaces: @Sendable (Int) async -> Void
  private let heartbeat = Heartbeat()
  private let (wakes, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// Creates a pipeline. It runs on `executor`, the thread of the transfers, so that after the answer to a request the next step
  /// begins without waking another thread. `setPlaces` changes how many requests may be in flight there.
  package init(
    ledger: JobLedger, current: CurrentConfiguration, disposals: Disposals, executor: any TaskExecutor,
    setPlaces: @escaping @Sendable (Int) async -> Void
  ) {
    self.ledger = ledger
    self.current = current
    self.disposals = disposals
    self.executor = executor
    self.setPlaces = setPlaces
    self.attempts = InFlight(on: executor)
    self.cleanups = InFlight(on: executor)
  }

  private var stages: Stages { current.now }
  private var lanes: Lanes { current.lanes }

  /// The facts, besides the ledger's, that decide why a job does not move.
  package var state: PipelineState {
    let (stages, rates) = (self.stages, current.rates)
    return PipelineState(
      lanes: lanes, isConfigured: { stages.isConfigured($0) }, rate: { rates.use(of: $0.text) },
      isStopping: inbox.withLock(\.isDraining))
  }

  /// True while a reload asks about the jobs whose destination is gone.
  package var leavesStrays: Bool { inbox.withLock(\.leavesStrays) }

  /// Returns true if an attempt or a cleanup of a job is under way.
  package func isAtWork(on job: JobNumber) -> Bool { attempts.has(job) || cleanups.has(job) }

  /// Wakes the loop, because something may be due: a file was admitted, a time has come, a person answered.
  package func wake() { wakeUp.yield() }

  /// Returns true if the loop that hands out work has made progress since the last call, and asks it to do so again. A
  /// draining pipeline always answers true, and so does one whose commits wait for space on the disk. For the watchdog.
  package func makesProgress() -> Bool {
    inbox.withLock(\.isDraining) || ledger.isStalled || heartbeat.hasCome(asking: wake)
  }

  /// Leaves jobs whose destination is no longer configured to the caller (true), or asks about them by itself again (false).
  package func leaveStrays(_ leaves: Bool) {
    inbox.withLock { $0.leavesStrays = leaves }
    wake()
  }

  /// Updates the slots after a commit, and wakes the loop if a job can start or has lost its destination.
  package func update(_ counts: LedgerCounts) {
    if counts.canStart(in: current.adjustLimits(to: counts)) || hasStray(counts) { wake() }
  }

  /// Returns the next time at which something is due by itself: a job, a cleanup, or the probe of a gate; nil if there is none.
  package func nextTime(_ counts: LedgerCounts) -> Timestamp? {
    [counts.nextTime, counts.nextCleanup(in: lanes)].compactMap(\.self).min()
  }

  /// Admits claimed files, and begins their jobs at once as far as slots are free.
  func admit(_ admissions: [Admission]) async throws {
    Failpoint.admissionCommitting.pass()
    _ = try await ledger.admit(
      admissions, begin: inbox.withLock(\.isDraining) ? 0 : admissions.count, in: lanes
    ) { jobs in
      guard !jobs.isEmpty else { return }
      self.inbox.withLock { $0.begun += jobs }
      self.wake()
    }
    Failpoint.admissionCommitted.pass()
  }

  /// Cuts the attempt of a job that the operator has cancelled. An attempt that has just begun finds by itself that its job is
  /// withdrawn.
  package func cut(_ job: JobNumber) { attempts.cut(job) }

  /// Begins nothing more; work in flight continues.
  package func drain() {
    inbox.withLock { $0.isDraining = true }
    wakeUp.finish()
  }

  /// Cuts what is still in flight, after ``drain()``.
  package func cutAll() {
    attempts.cutAll()
    cleanups.cutAll()
  }

  /// Runs until ``drain()`` was called and the last attempt has ended; throws the ledger's error.
  package func run() async throws {
    try await withTaskExecutorPreference(executor) {
      try await withThrowingDiscardingTaskGroup { tasks in
        for await _ in wakes {
          heartbeat.beat()
          await followSlots()
          let (jobs, cleanups) = try await next()
          for job in jobs {
            tasks.addTask { try await self.work(job) }
          }
          for cleanup in cleanups {
            tasks.addTask { try await self.clean(cleanup) }
          }
        }
        for job in inbox.withLock({ exchange(&$0.begun, with: []) }) {
          tasks.addTask { try await self.work(job) }  // begun by an admission while the drain began
        }
      }
    }
  }

  /// Lets as many requests be in flight as there are slots.
  private func followSlots() async {
    let slots = lanes.all.slots
    if places.withLock({ exchange(&$0, with: slots) }) != slots { await setPlaces(slots) }
  }

  private func next() async throws -> (jobs: [Job], cleanups: [Cleanup]) {
    let begun = inbox.withLock { exchange(&$0.begun, with: []) }
    if hasStray(ledger.counts) {
      _ = try await ledger.askAboutUnconfigured { [stages = self.stages] in stages.isConfigured($0) }
    }
    guard hasDueWork else { return (begun, []) }
    let (jobs, cleanups) = try await ledger.beginDueWork(in: lanes)
    return (begun + jobs, cleanups)
  }

  private var hasDueWork: Bool {
    let counts = ledger.counts
    // When a share of the slots is used up, the commit that ends one of its attempts asks again.
    return counts.canStart(in: lanes) || nextTime(counts).map { $0 <= stages.clock.steady() } ?? false
  }

  /// Returns true if jobs are queued at a destination that is no longer configured, because that has just changed.
  private func hasStray(_ counts: LedgerCounts) -> Bool {
    guard !inbox.withLock(\.leavesStrays) else { return false }
    let stages = self.stages
    return counts.queued.contains { $0.value > 0 && !stages.isConfigured($0.key) }
  }

  /// Does the work of one slot: attempt after attempt, until nothing is due.
  private func work(_ first: Job) async throws {
    defer { wake() }
    var next: Job? = first
    while let job = next { next = try await attempts.withSlot { try await self.work(job, in: $0) } }
  }

  /// Does the work of one slot until an attempt is cut; returns the job that was begun last and not worked on.
  private func work(_ first: Job, in slot: InFlight.Slot) async throws -> Job? {
    let clock = stages.clock
    var next: Job? = first
    // a slot's cycle is from the end of one attempt to the end of the next: it includes the commit between them
    var began = clock.steady()
    while let job = next, !slot.isCut {
      Failpoint.attemptBegun.pass()
      let piece = attempts.begin(job.number, at: job.destination, in: slot) {
        ledger.withCounts { $0.isWithdrawn(job) || $0.isLate(job) }
      }
      let conditions = conditions(at: job.destination)
      let held = current.rates.held(by: job.destination.text)
      let attempted = await conditions.stages.attempt(job, probing: probedGate(job, conditions.stages), ledger: ledger)
      attempts.end(piece)
      let result = attempted.afterChange(from: conditions, to: self.conditions(at: job.destination))
      let end = clock.steady()
      let lanes = current.ended(
        result, of: job, since: exchange(&began, with: end),
        isHeld: held != current.rates.held(by: job.destination.text), now: end)
      if lanes.all.slots != places.withLock(\.self) { wake() }
      // An error that ends the daemon cancels the task: the job, which is queued again, would be cut again and again.
      let mayGoOn = !Task.isCancelled && !inbox.withLock(\.isDraining)
      result.failpoints.committing.pass()
      let ended = try await ledger.finish(
        job, result, remembers: stages.remembers(job), thenTakeIn: mayGoOn ? lanes : nil)
      result.failpoints.committed.pass()
      // Compared after the commit, at which `KeyWatch` takes the present key for the refused one: it misses an earlier change.
      try await follow(result.change(from: conditions, to: self.conditions(at: job.destination)), at: job.destination)
      if let now = ended.job {
        if now.state == .registered || now.state == .skipped { disposals.add(now) }
        if now.state.isWaiting, !stages.isConfigured(now.destination) {
          _ = try await ledger.askAboutDestination(of: now.number)
        }
      }
      next = ended.next
    }
    return next
  }

  private func conditions(at destination: Destination) -> AttemptConditions {
    AttemptConditions(at: destination, stages, network: networkChanges.load(ordering: .acquiring))
  }

  /// Allows a probe at once after a change because of which a failure says nothing about the present destination.
  private func follow(_ change: AttemptConditions.Change?, at destination: Destination) async throws {
    guard let change else { return }
    let destinations = stages.destinations(asked: destination)
    switch change {
    case .settings: _ = try await ledger.probe(destinations)
    case .keys: for destination in destinations { ledger.keyChanged(destination) }
    case .network: ledger.networkChanged(destinations)
    }
  }

  /// Records that the machine's network has changed: the destinations that wait for it probe at once.
  package func networkChanged() {
    networkChanges.add(1, ordering: .acquiringAndReleasing)
    ledger.networkChanged()
  }

  /// Returns the gate that a job is the probe of, with its destination: that of the backend that grants the upload before the storage's,
  /// because it is asked first. Nil if there is none.
  private func probedGate(_ job: Job, _ stages: Stages) -> (gate: Gate, of: Destination)? {
    let gates = ledger.withCounts { $0.gates }
    if gates.isEmpty { return nil }
    let probed = stages.destinations(asked: job.destination).first { gates[$0]?.isProbed(by: job.number) ?? false }
    return probed.flatMap { destination in gates[destination].map { ($0, destination) } }
  }

  /// Tries once to clean up after a job, or after a file that is no longer in its group.
  ///
  /// First it cuts the job's own request to the storage and waits for its end. Sent bytes may still take effect for a time
  /// (`Cleanup.uploadUnheardAt`). A registration continues: if a person named a link, the cleanup concerns an earlier attempt.
  private func clean(_ cleanup: Cleanup) async throws {
    defer { wake() }
    if try await ledger.job(.number(cleanup.job))?.ticket.key == cleanup.key {
      await attempts.cutAndWait(cleanup.job, at: cleanup.destination)
    }
    Failpoint.cleanupBegun.pass()
    let conditions = conditions(at: cleanup.destination)
    let result = try await cleanups.withSlot { slot in
      await self.cleanups.run(cleanup.job, at: cleanup.destination, in: slot) {
        await conditions.stages.clear(cleanup, self.ledger)
      }
    }
    Failpoint.cleanupCommitting.pass()
    try await ledger.finish(cleanup, result, landing: conditions.stages.landing(at: cleanup.storage))
    try await follow(
      result.change(from: conditions, to: self.conditions(at: cleanup.destination)), at: cleanup.destination)
    Failpoint.cleanupCommitted.pass()
  }
}

extension AttemptResult {
  /// The places before and after the commit of the result.
  fileprivate var failpoints: (committing: Failpoint, committed: Failpoint) {
    switch self {
    case .uploaded: (.linkCommitting, .linkCommitted)
    case .registered: (.receiptCommitting, .receiptCommitted)
    case .recognized, .failed, .changed, .cut, .unanswered: (.failureCommitting, .failureCommitted)
    }
  }
}
