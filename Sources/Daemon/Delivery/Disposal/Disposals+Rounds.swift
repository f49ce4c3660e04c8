import Jobs
import Ledger
import Linux
import Spool
import Synchronization

/// Rounds: the files of all jobs that were registered since the last round are disposed of together.
///
/// The first job of a round wakes ``run()``, whose turn comes behind all that the same commit has resumed on this thread. So a round has all
/// jobs of a commit, without a timer. Nobody waits for the worker that gets them: it records by itself which files are gone, and hands back
/// only the other jobs.
extension Disposals {
  /// The part of a round that this thread has to do, after the worker has its part.
  struct Round: Sendable {
    /// The jobs that workers have handed back.
    fileprivate var handedBack: [Ended] = []
    /// The jobs of each shared spool, whose file server may hang.
    fileprivate var shared: [[Job]] = []
    fileprivate var groups: [Job] = []

    var isEmpty: Bool { handedBack.isEmpty && shared.isEmpty && groups.isEmpty }
  }

  /// Adds a job that was registered just now; its file is disposed of together with others'.
  ///
  /// - Throws: the ledger's error.
  func add(_ job: Job) async throws {
    let count = memory.withLock { memory -> Int? in
      guard memory.registered.count + memory.inHand.count < Self.mostGathered else { return nil }
      memory.registered.append(job)
      return memory.registered.count
    }
    guard let count else { return try await dispose(of: job) }
    if count == 1 { wake() }
  }

  /// Disposes of the files of the jobs that were added so far, and returns once nothing is under way.
  ///
  /// - Throws: the ledger's error.
  package func finish() async throws {
    var round: Round
    repeat {
      round = beginRound()
      try await finish(round)
      await workersToEnd()
    } while !round.isEmpty || memory.withLock { !$0.handedBack.isEmpty || !$0.registered.isEmpty }
  }

  /// Returns once no worker has any of the jobs.
  private func workersToEnd() async {
    await Waiter<Void>.wait { waiter in
      let isIdle = memory.withLock { memory in
        if memory.underWay > 0 { memory.waiters.append(waiter) }
        return memory.underWay == 0
      }
      if isIdle { waiter.resume(returning: ()) }
    }
  }

  /// Hands the files of the added jobs to a worker.
  ///
  /// - Returns: what the worker cannot do.
  func beginRound() -> Round {
    // Groups and other jobs are taken at once, because groups may be added while these are disposed of.
    var (round, jobs) = memory.withLock { memory -> (Round, [Job]) in
      var round = Round()
      round.handedBack = exchange(&memory.handedBack, with: [])
      round.groups = memory.registered.filter { $0.ticket.parcel.group != nil }
      let jobs = memory.registered.filter {
        $0.ticket.parcel.group == nil && memory.inHand.insert($0.number).inserted
      }
      memory.registered.removeAll(keepingCapacity: true)
      return (round, jobs)
    }
    let stages = stages
    if stages.hasShared {
      let shared = stages.parts.filter(\.value.directory.isShared)
      let parties = Dictionary(grouping: jobs) { shared[$0.ticket.spool] == nil ? "" : $0.ticket.spool }
      round.shared = parties.filter { !$0.key.isEmpty }.map(\.value)
      jobs = parties["", default: []]
    }
    handOver(jobs, stages)
    return round
  }

  /// Does the rest of a round.
  ///
  /// - Throws: the ledger's error.
  func finish(_ round: Round) async throws {
    for (job, end) in round.handedBack {
      defer { _ = memory.withLock { $0.inHand.remove(job.number) } }
      try await apply(end, of: job)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for jobs in round.shared { group.addTask { try await self.disposeOfShared(jobs) } }
      try await group.waitForAll()
    }
    for job in round.groups { try await dispose(of: job) }
  }

  /// Has a worker dispose of the files of jobs that are in `inHand`. Groups, and files of shared spools, are not among them.
  private func handOver(_ jobs: [Job], _ stages: Stages) {
    let jobs = moving(jobs)
    guard let first = jobs.first else { return }
    memory.withLock { $0.underWay += 1 }
    stages.threads(of: first).start { [self] in
      let (gone, others) = Self.dispose(of: jobs, by: stages)
      let kept = Set(others.map(\.job.number))
      ledger.disposed(gone)
      let waiters = memory.withLock { memory in
        for job in jobs where !kept.contains(job.number) { memory.inHand.remove(job.number) }
        memory.handedBack += others
        memory.underWay -= 1
        return memory.underWay == 0 ? exchange(&memory.waiters, with: []) : []
      }
      if !others.isEmpty { wake() }
      for waiter in waiters { waiter.resume(returning: ()) }
    }
  }

  /// Disposes of the files of jobs of a shared spool that are in `inHand`. If the file system does not answer, they are tried again when
  /// the spool is taken over again.
  private func disposeOfShared(_ jobs: [Job]) async throws {
    defer { memory.withLock { $0.inHand.subtract(jobs.map(\.number)) } }
    let jobs = moving(jobs)
    guard let first = jobs.first else { return }
    let stages = stages
    do {
      let (gone, others) = try await stages.threads(of: first).run { Self.dispose(of: jobs, by: stages) }
      ledger.disposed(gone)
      for (job, end) in others { try await apply(end, of: job) }
    } catch is FileError {
      return  // it does not answer
    }
  }

  /// Disposes of files of one spool, or of several that are not shared. It blocks.
  ///
  /// - Returns: the jobs whose files are removed, and the other jobs. Jobs whose files no spool of this host has now are in neither list.
  private static func dispose(of jobs: [Job], by stages: Stages) -> (gone: [Job], others: [Ended]) {
    var (gone, others): ([Job], [Ended]) = ([], [])
    for job in jobs {
      guard let end = FileDisposal.end(of: job, by: stages) else { continue }
      if case .success(.removed) = end.result { gone.append(job) } else { others.append((job, end)) }
    }
    return (gone, others)
  }

  /// Returns the jobs whose files are to be moved or removed, without those of files that stay where they are. Nothing is done to such a
  /// file, whatever the configuration says by now.
  private func moving(_ jobs: [Job]) -> [Job] {
    guard jobs.contains(where: { $0.ticket.parcel == .inPlace }) else { return jobs }
    let standing = jobs.filter { $0.ticket.parcel == .inPlace }
    ledger.disposed(standing)
    memory.withLock { $0.inHand.subtract(standing.map(\.number)) }
    return jobs.filter { $0.ticket.parcel != .inPlace }
  }
}
