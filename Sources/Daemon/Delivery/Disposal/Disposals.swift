import Glibc
package import Jobs
package import Ledger
package import Linux
import Messages
import ObjectStorage
import Seams
import Spool
import Synchronization

/// Disposes of the files of jobs that are durably over: of a registered job it is removed or archived, of a discarded one removed.
///
/// ``add(_:)`` gathers the jobs that were registered, and ``run()`` disposes of their files, many at a time. A failure is reported once
/// while it lasts. ``retry(spool:)`` and the next start try again.
package final class Disposals: Sendable {
  struct Memory {
    /// Jobs whose file is being disposed of or about to be, so that no two callers work on one file.
    var inHand: Set<JobNumber> = []
    /// Jobs whose file has just changed, is open for writing, or must stay unchanged for a while, in the order of their next checks.
    var unsettled: [(job: Job, due: Timestamp)] = []
    var unsettledJobs: Set<JobNumber> = []
    var troubles = ToldTroubles()
    /// By spool, to be finished when a trouble begins.
    var beginnings: [String: AsyncStream<Void>.Continuation] = [:]
    /// Jobs that were registered just now, by spool. They are in `inHand`.
    var registered: [String: [Job]] = [:]
    /// The jobs that workers have handed back because their files are not gone. They are still in `inHand`.
    var handedBack: [Ended] = []
    var underWay: Set<String> = []
    var waiters: [Waiter<Void>] = []

    /// True if work for a spool is due and may begin.
    func canBegin(_ spool: String) -> Bool { !underWay.contains(spool) && registered[spool] != nil }

    /// Gathers a job for its spool's next round; returns true if that round has to be begun.
    mutating func gather(_ job: Job) -> Bool {
      let spool = job.ticket.spool
      let couldBegin = canBegin(spool)
      if registered[spool]?.count ?? 0 < Disposals.mostGathered, inHand.insert(job.number).inserted {
        registered[spool, default: []].append(job)
      }
      return !couldBegin && canBegin(spool)
    }

    /// Records that a spool's worker has ended, and returns the callers that waited for the last one.
    mutating func end(_ spool: String) -> [Waiter<Void>] {
      let worker = underWay.remove(spool)
      assert(worker != nil, "a spool lost a worker that it did not have")
      return underWay.isEmpty ? exchange(&waiters, with: []) : []
    }
  }

  typealias Ended = (job: Job, end: Stages.SpoolPart.End)

  /// The time for which unsettled files are gathered.
  private static let gathering = Duration.milliseconds(100)

  /// The most jobs of a spool that are gathered, and the most unsettled files in memory; the others wait for the rescan.
  static let mostGathered = 16_384

  private static let page = 256
  /// The shortest time until a file that is open for writing is checked again.
  private static let pause = Duration.seconds(1)

  let ledger: JobLedger
  let current: CurrentConfiguration
  let machine: Machine
  let memory = Mutex(Memory())
  private let (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let alarm: Alarm

  package init(ledger: JobLedger, current: CurrentConfiguration, on machine: Machine) throws(FileError) {
    self.ledger = ledger
    self.current = current
    self.machine = machine
    alarm = try Alarm("waybill.disposals", on: machine, ring: { [ring] in ring.yield() })
  }

  var stages: Stages { current.now }

  func wake() { ring.yield() }

  /// Disposes of the file of a registered or discarded job, and records that in the ledger. A file that cannot be disposed of is reported
  /// and stays; only the ledger's error is thrown.
  package func dispose(of job: Job) async throws {
    // In a damaged row, the file may count as due or gone although the job is not over.
    guard job.state.phase == .done else { return }
    guard memory.withLock({ $0.inHand.insert(job.number).inserted }) else { return }
    defer { _ = memory.withLock { $0.inHand.remove(job.number) } }
    if job.ticket.parcel == .inPlace { return ledger.disposed([job]) }
    let (stages, ledger) = (stages, ledger)
    try await apply(try await stages.disposers.run { stages.dispose(of: job, ledger) }, of: job)
  }

  /// Records the end of a disposal, or arranges another check. Nil means that no spool of this host has the file now.
  func apply(_ end: Stages.SpoolPart.End?, of job: Job) async throws {
    guard let (part, result) = end else { return }
    do {
      switch try result.get() {
      case .removed: ledger.disposed([job])
      case .alreadyGone:
        // A rescan may have disposed of the file in the meantime.
        if let now = try await ledger.job(.number(job.number)), now.disposedAt == nil { ledger.disposed([now]) }
      case .changed: try await readmit(job, part)
      case .beingWritten: checkAgain(job, after: max(part.directory.options.settleUnseen, Self.pause))
      case .tooYoung(let left): checkAgain(job, after: left)
      }
    } catch let error as FileError {
      reportKept(job, error, part)
    }
  }

  private func reportKept(_ job: Job, _ error: FileError, _ part: Stages.SpoolPart) {
    let options = part.directory.options
    let isNew = memory.withLock { memory in
      let isNew = memory.troubles.add(options.name, error.errno)
      if isNew { memory.beginnings[options.name]?.finish() }
      return isNew
    }
    guard isNew else { return }
    let again = Message.triedAgain(time: options.look)
    let what = Message.stillThere(
      name: job.ticket.name.shown, job: job.number.rawValue, state: job.state.rawValue, why: error.message)
    let remedy = (error.unlocking ?? part.archive?.remedy(for: error)).map { .and(what: $0, more: again) } ?? again
    stages.trouble.report(SpoolProblem(options, .disposal, what, remedy: remedy, errno: error.errno))
  }

  /// Tries again to dispose of the files of jobs of a spool, and of files that may be in it because its directory had another name.
  func retry(spool: String) async throws {
    memory.withLock { $0.troubles.beginPass(spool) }
    var after: JobNumber?
    while true {
      try Task.checkCancellation()  // what is left is found by the next start
      let jobs = try await ledger.undisposed(
        spool: spool, orNotOf: stages.parts.keys.sorted(), after: after, limit: Self.page)
      for job in jobs { try await dispose(of: job) }
      guard jobs.count == Self.page else { break }
      after = jobs.last?.number
    }
    for errno in memory.withLock({ $0.troubles.endPass(spool) }) {
      stages.trouble.reportEnd(of: .disposal, errno, in: spool)
    }
  }

  /// Tries again at each rescan of a spool, and more often during a trouble, until the task is cancelled.
  func retryAtRescans(of spool: SpoolDirectory) async throws {
    let options = spool.options
    // A file that the earlier archive refused goes into the present one at once.
    if !memory.withLock({ $0.troubles.hasAny(in: options.name) }) { try await rest(options) }
    while true {
      if spool.status.isPresent { try await retry(spool: options.name) }
      try await rest(options)
    }
  }

  /// Waits for the time of a rescan; if there is a trouble, or one begins meanwhile, only for that of a look.
  private func rest(_ options: SpoolOptions) async throws {
    let (beginning, whenTroubled) = AsyncStream.makeStream(of: Void.self)
    var isTroubled = memory.withLock { memory in
      memory.beginnings[options.name] = whenTroubled
      return memory.troubles.hasAny(in: options.name)
    }
    if !isTroubled {
      isTroubled = try await withThrowingTaskGroup(of: Bool.self) { [machine] tasks in
        tasks.addTask {
          try await machine.sleep(for: options.rescan)
          return false
        }
        tasks.addTask {
          for await _ in beginning {}
          return true
        }
        defer { tasks.cancelAll() }
        return try await tasks.next() ?? false
      }
    }
    if isTroubled { try await machine.sleep(for: options.look) }
  }

  /// Disposes of the files of added jobs, and checks those that were still being written to, until the task is cancelled.
  package func run() async throws {
    try await withThrowingDiscardingTaskGroup { tasks in
      for await _ in rings {
        gatherSettled()
        let others = beginRound()
        // a file that takes long (a copy to another file system) delays none of another spool
        if !others.isEmpty { tasks.addTask { try await self.finish(others) } }
      }
    }
  }

  /// Makes a new job of a claim that was written to after its upload: the claim gets a new id, and then a row. A crash between the two
  /// leaves a claim without a row and a registered job without a file. The next start admits the claim under the new id.
  private func readmit(_ job: Job, _ part: Stages.SpoolPart) async throws {
    let (directory, claim, clock) = (part.directory, job.ticket.claim, stages.clock)
    let unseen = directory.options.settleUnseen
    let (changed, isOpen) = try await stages.workers.run { try directory.held().lastChange(of: claim) }
    if isOpen { return checkAgain(job, after: max(unseen, Self.pause)) }
    let left = unseen - (clock.now() - Timestamp(microseconds: changed / 1000))
    // a time in the future only means that the clock was set back
    guard left <= .zero || left > unseen else { return checkAgain(job, after: left) }
    var random = machine.random
    let id = JobID.mint(at: clock.now(), random: &random)
    try await admit(try await stages.workers.run { try directory.held().readmit(claim, as: id) }, in: directory)
    ledger.disposed([job])
    guard let new = try await ledger.job(.id(id)) else { return }
    let isGroup = claim.parcel.group != nil
    stages.trouble.report(
      SpoolProblem(
        directory.options, .rewritten,
        isGroup
          ? .groupRewritten(name: job.ticket.name.shown, job: job.number.rawValue, new: new.number.rawValue)
          : .fileRewritten(name: job.ticket.name.shown, job: job.number.rawValue, new: new.number.rawValue),
        remedy: isGroup
          ? .makeMarkerWhenDone
          : .renameFinishedFiles))
  }

  /// Admits a file under its new id. If its spool has just left the configuration, the file is found later.
  func admit(_ claim: Claim, in directory: SpoolDirectory) async throws {
    let stages = stages
    guard let name = stages.name(of: directory) else { return }
    _ = try await ledger.admit(stages.prepareAdmissions(of: [claim], in: name))
    Failpoint.readmissionCommitted.pass()
  }

  /// Schedules the next check of a file, when it may have been unchanged for long enough.
  private func checkAgain(_ job: Job, after pause: Duration) {
    let due = stages.clock.steady() + pause
    let first = memory.withLock { memory -> Timestamp? in
      guard memory.unsettled.count < Self.mostGathered, memory.unsettledJobs.insert(job.number).inserted else {
        return nil
      }
      let index = memory.unsettled.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
      memory.unsettled.insert((job, due), at: index)
      return memory.unsettled.first?.due
    }
    if let first { alarm.set((first + Self.gathering).microseconds) }
  }

  /// Adds the jobs whose check is due, so that their files are disposed of together.
  private func gatherSettled() {
    let now = stages.clock.steady()
    let next = memory.withLock { memory -> Timestamp? in
      let count = memory.unsettled.prefix { $0.due <= now }.count
      for job in memory.unsettled[..<count].map(\.job) {
        memory.unsettledJobs.remove(job.number)
        _ = memory.gather(job)
      }
      memory.unsettled.removeFirst(count)
      return memory.unsettled.first?.due
    }
    if let next { alarm.set((next + Self.gathering).microseconds) }
  }
}

/// The troubles that were reported and have not ended. One that comes back after a pass without it is reported again.
struct ToldTroubles {
  private var told: [String: Set<Int32>] = [:]
  /// The troubles that the present pass has met.
  private var met: [String: Set<Int32>] = [:]

  /// Records that a trouble was met; returns true if it is to be reported.
  mutating func add(_ spool: String, _ errno: Int32) -> Bool {
    met[spool, default: []].insert(errno)
    return told[spool, default: []].insert(errno).inserted
  }

  func hasAny(in spool: String) -> Bool { told[spool]?.isEmpty == false }

  mutating func beginPass(_ spool: String) { met[spool] = nil }

  /// Returns the error numbers of the troubles that have ended.
  mutating func endPass(_ spool: String) -> Set<Int32> {
    let all = told[spool] ?? []
    told[spool] = met[spool].map(all.intersection)
    return all.subtracting(met[spool] ?? [])
  }
}

/// Rounds: the files of all jobs of a spool that were registered since its last round are disposed of together, by one worker. The first
/// job of a round wakes ``run()``, which runs after everything that the same commit has resumed on this thread. So a round has all jobs of
/// a commit, without a timer.
extension Disposals {
  func add(_ job: Job) {
    // Nothing is done to a file in place, whatever the present configuration says.
    if job.ticket.parcel == .inPlace { return ledger.disposed([job]) }
    if memory.withLock({ $0.gather(job) }) { wake() }
  }

  /// Disposes of the files of the jobs that were added so far, and returns once nothing is under way.
  package func finish() async throws {
    repeat {
      try await finish(beginRound())
      await workersToEnd()
    } while memory.withLock { !$0.handedBack.isEmpty || !$0.registered.isEmpty }
  }

  private func workersToEnd() async {
    await Waiter<Void>.wait { waiter in
      let isIdle = memory.withLock { memory in
        if !memory.underWay.isEmpty { memory.waiters.append(waiter) }
        return memory.underWay.isEmpty
      }
      if isIdle { waiter.resume(returning: ()) }
    }
  }

  /// Hands the files of the added jobs to workers, one for each spool that has none yet. Returns the jobs that workers have handed back.
  func beginRound() -> [Ended] {
    let stages = stages
    let (handedBack, parties) = memory.withLock { memory in
      let spools = memory.registered.keys.filter { !memory.underWay.contains($0) }.sorted()
      memory.underWay.formUnion(spools)
      return (exchange(&memory.handedBack, with: []), spools.compactMap { memory.registered.removeValue(forKey: $0) })
    }
    for jobs in parties { handOver(jobs, stages) }
    return handedBack
  }

  /// Does the rest of a round: what the workers cannot do.
  func finish(_ handedBack: [Ended]) async throws {
    for (job, end) in handedBack {
      defer { _ = memory.withLock { $0.inHand.remove(job.number) } }
      try await apply(end, of: job)
    }
  }

  private func end(_ spool: String, handingBack others: [Ended] = []) {
    let (waiters, mustWake) = memory.withLock { memory in
      memory.handedBack += others
      return (memory.end(spool), memory.canBegin(spool) || !others.isEmpty)
    }
    if mustWake { wake() }
    for waiter in waiters { waiter.resume(returning: ()) }
  }

  private func handOver(_ jobs: [Job], _ stages: Stages) {
    let spool = jobs[0].ticket.spool
    assert(jobs.allSatisfy { $0.ticket.spool == spool }, "another spool's worker has them")
    stages.disposers.start { [self] in
      let (gone, others) = Self.carryOut(jobs, by: stages, ledger)
      let left = Set(others.map(\.job.number))
      ledger.disposed(gone)
      memory.withLock { memory in
        for job in jobs where !left.contains(job.number) { memory.inHand.remove(job.number) }
      }
      end(spool, handingBack: others)
    }
  }

  /// Disposes of files of one spool; blocks. Jobs whose files no spool of this host has now are in neither list.
  private static func carryOut(
    _ jobs: [Job], by stages: Stages, _ ledger: JobLedger
  ) -> (gone: [Job], others: [Ended]) {
    var (gone, others): ([Job], [Ended]) = ([], [])
    for job in jobs {
      guard let end = stages.dispose(of: job, ledger) else { continue }
      if case .success(.removed) = end.result { gone.append(job) } else { others.append((job, end)) }
    }
    return (gone, others)
  }
}
