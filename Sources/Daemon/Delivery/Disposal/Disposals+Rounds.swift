import Jobs
import Ledger
import Linux
import Spool
import Synchronization

/// Rounds: the files of all jobs of a spool that were registered since its last round are disposed of together.
///
/// The first job of a round wakes ``run()``, which runs after everything that the same commit has resumed on this thread. So a round
/// has all jobs of a commit, without a timer. Nothing waits for the worker: it records removed files by itself, and hands back only the
/// other jobs. A spool has one worker at a time.
extension Disposals {
  /// Adds a job that was registered just now; its file is disposed of together with others' of its spool.
  func add(_ job: Job) {
    // Nothing is to be done to a file that stays in place, whatever the present configuration says.
    if job.ticket.parcel == .inPlace { return ledger.disposed([job]) }
    if memory.withLock({ $0.gather(job) }) { wake() }
  }

  /// Disposes of the files of the jobs that were added so far, and returns once nothing is under way.
  ///
  /// - Throws: the ledger's error.
  package func finish() async throws {
    repeat {
      try await finish(beginRound())
      await workersToEnd()
    } while memory.withLock { !$0.handedBack.isEmpty || !$0.registered.isEmpty }
  }

  /// Returns once no spool has a worker.
  private func workersToEnd() async {
    await Waiter<Void>.wait { waiter in
      let isIdle = memory.withLock { memory in
        if !memory.underWay.isEmpty { memory.waiters.append(waiter) }
        return memory.underWay.isEmpty
      }
      if isIdle { waiter.resume(returning: ()) }
    }
  }

  /// Hands the files of the added jobs to workers: those of each spool to one, unless it has one already.
  ///
  /// - Returns: the jobs that workers have handed back.
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
  ///
  /// - Throws: the ledger's error.
  func finish(_ handedBack: [Ended]) async throws {
    for (job, end) in handedBack {
      defer { _ = memory.withLock { $0.inHand.remove(job.number) } }
      try await apply(end, of: job)
    }
  }

  /// Records that the worker of a spool is free.
  private func end(_ spool: String, handingBack others: [Ended] = []) {
    let (waiters, mustWake) = memory.withLock { memory in
      memory.handedBack += others
      return (memory.end(spool), memory.canBegin(spool) || !others.isEmpty)
    }
    if mustWake { wake() }
    for waiter in waiters { waiter.resume(returning: ()) }
  }

  /// Has a worker dispose of the files of a spool's jobs.
  private func handOver(_ jobs: [Job], _ stages: Stages) {
    let spool = jobs[0].ticket.spool
    assert(jobs.allSatisfy { $0.ticket.spool == spool }, "another spool's worker has them")
    stages.disposers.start { [self] in
      let (gone, others) = Self.carryOut(jobs, by: stages, ledger)
      let kept = Set(others.map(\.job.number))
      ledger.disposed(gone)
      memory.withLock { memory in
        for job in jobs where !kept.contains(job.number) { memory.inHand.remove(job.number) }
      }
      end(spool, handingBack: others)
    }
  }

  /// Disposes of files of one spool. It blocks.
  ///
  /// - Returns: the jobs whose files are removed, and the other jobs. Jobs whose files no spool of this host has now are in neither list.
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

extension Disposals.Memory {
  /// Gathers a job for its spool's next round; returns true if that round has to be begun.
  mutating func gather(_ job: Job) -> Bool {
    let spool = job.ticket.spool
    let couldBegin = canBegin(spool)
    if registered[spool]?.count ?? 0 < Disposals.mostGathered, inHand.insert(job.number).inserted {
      registered[spool, default: []].append(job)
    }
    return !couldBegin && canBegin(spool)
  }
}
