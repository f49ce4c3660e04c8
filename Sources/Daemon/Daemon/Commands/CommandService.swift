import ControlAPI
import ControlServer
import Delivery
import Jobs
import Ledger
import Linux
import Messages
import Reports
import Spool
import WebPages

/// Carries out the calls of the control socket (``ControlOperations``) with the daemon's parts.
///
/// This file has the lists of jobs, the status, and the commands about one job and about many. Each of the other calls is in a
/// file `CommandService+….swift`.
struct CommandService: ControlOperations {
  let ledger: JobLedger
  let pipeline: Pipeline
  let current: CurrentConfiguration
  let disposals: Disposals
  let activity: Activity
  let clock: Clock
  let machine: Machine
  let startedAt: Timestamp
  let tail: EventTail
  let journal: EventLog
  let configurationReload: Reload
  let tallies: CommitTallies
  let problems: StandingProblems
  let room: IntakeRoom
  let userNames: UserNames
  let changeLog: ChangeLog

  var stages: Stages { current.now.stages }

  var requests: any RequestMemory { LedgerRequests(ledger: ledger) }

  /// The number of jobs that a command for many handles at a time.
  private static let stride = 256

  func jobs(_ filter: JobFilter, after: JobNumber?, order: JobOrder, limit: Int) async throws -> [JobMessage] {
    guard let meant = try await resolve(filter) else { return [] }
    let jobs = try await jobs(meant, after: after, order: order, limit: limit)
    let counts = ledger.counts
    return jobs.map { message($0, counts) }
  }

  func reload(by caller: Caller) async throws -> ReloadAnswer { try await configurationReload.run(by: caller) }

  func message(_ job: Job) -> JobMessage { message(job, ledger.counts) }

  func message(_ job: Job, _ counts: LedgerCounts) -> JobMessage {
    JobMessage(
      job, path: stages.path(of: job), heldBy: counts.hold(on: job).map { message($0, isOfJob: true) },
      clockOffset: clock.now() - clock.steady())
  }

  func status() async throws -> StatusMessage {
    let oldest = try await ledger.oldestWaiting()
    let active = activity.current
    let counts = ledger.counts
    return StatusMessage(
      identity: identity, version: Daemon.version, uptime: clock.steady() - startedAt,
      activity: StatusMessage.Activity(upload: active.uploads, register: active.registrations),
      counts: Dictionary(uniqueKeysWithValues: JobState.allCases.map { ($0, counts.jobs[$0]) }),
      gates: counts.closedGates.map { message($0) }, pauses: pauses(counts),
      cleanups: try await ledger.cleanupsOwed(),
      ledger: ledger.setAside.map { .text($0.words) } ?? ledger.loss.map(LedgerTrouble.message),
      transfers: activity.largeUploads.messages,
      destinations: current.limits().map { limit in
        DestinationMessage(
          destination: limit.destination.text,
          concurrency: .init(
            limit: limit.limit, inFlight: counts.inFlight[limit.destination], adaptive: limit.isAdaptive,
            heldDown: limit.heldDown))
      },
      spools: stages.spools.values.sorted { $0.options.name < $1.options.name }.map { spool in
        let status = spool.status
        return SpoolMessage(
          name: spool.options.name, path: spool.options.path, watch: status.isWatched ? "inotify" : "poll",
          readiness: status.readiness, leases: status.leases.rawValue,
          uncertain: status.uncertain, ignore: spool.options.ignore, only: spool.options.only,
          minSize: spool.options.sizes.least, maxSize: spool.options.sizes.greatest,
          takesEmpty: spool.options.sizes.takesEmpty, marker: spool.options.group,
          sidecar: spool.options.sidecar?.text, waiting: status.waiting,
          lastScan: MessageTime(status.lastScan),
          oldestWaiting: MessageTime(oldest[spool.options.name]),
          holder: spool.isShared ? status.holder.map { HolderMessage($0, isHere: spool.isHeld) } : nil)
      }, problems: problems.messages, untaken: stages.spools.mapValues(\.status.untaken))
  }

  func job(_ reference: JobReference) async throws -> JobDetailMessage? {
    guard let job = try await ledger.job(reference) else { return nil }
    let history = try await ledger.history(of: job.number).map {
      HistoryMessage(
        at: $0.at, event: $0.event, step: $0.step, revision: $0.revision, by: $0.by, reason: $0.reason)
    }
    let cleanup = try await ledger.cleanup(of: job.number).map {
      CleanupMessage($0, clockOffset: clock.now() - clock.steady())
    }
    var files: JobDetailMessage.Files?
    if let group = job.ticket.parcel.group {
      let progress = try await ledger.progress(of: job.number)
      files = .init(stored: progress.stored, all: max(progress.files, group.files ?? 0))
    }
    return JobDetailMessage(
      job, message: message(job), standstill: try await standstill(of: job),
      holds: ledger.counts.holds(on: job).map { message($0) }, cleanup: cleanup,
      attempts: try await ledger.attempts(of: job.number).map(AttemptMessage.init),
      history: history, answer: try await ledger.failedAnswer(of: job.number), files: files)
  }

  func carryOut(
    _ command: Command, on reference: JobReference, by caller: Caller, revision: Int64?
  ) async throws -> (job: JobMessage, step: Step) {
    let (job, step) = try await answer(reference, command, caller, revision)
    return (message(job), step)
  }

  private func answer(
    _ reference: JobReference, _ command: Command, _ caller: Caller, _ revision: Int64?
  ) async throws -> (job: Job, step: Step) {
    do {
      let answer = try await answer(command, caller, reference)
      let (job, step) = try await pipeline.stops.answer(reference, answer, revision: revision)
      return (try await afterwards(job, command), step)
    } catch let loss as LostHold {
      throw ProblemDocument(.held, detail: "\(loss)")
    } catch let error as FileError {
      throw ProblemDocument(
        .file, saying: .commandUnknownOutcome(why: error.message, job: "\(reference)"))
    } catch let refusal as Refusal {
      let last = try await ledger.lastCommand(on: refusal.job.number)
      throw CommandRefused(refusal, changedBy: last?.by, changedAt: last?.at)
    }
  }

  /// Does the rest of a command once its change is durable: cuts the request, removes the file, or asks again.
  private func afterwards(_ job: Job, _ command: Command) async throws -> Job {
    command.committed.pass()
    switch command {
    case .cancel:
      pipeline.cut(job.number)
      return job
    case .discard:
      try await discard(job)
      return job
    case .release(let path):
      return try await release(job, to: path)
    case .confirm, .retry:
      guard job.state == .queued, !stages.isConfigured(job.destination) else { return job }
      // the answer stays recorded, and the same question is asked again: the destination is still not configured
      return try await ledger.askAboutDestination(of: job.number) ?? job
    }
  }

  private func answer(_ command: Command, _ caller: Caller, _ reference: JobReference) async throws -> Answer {
    switch command {
    case .confirm(link: nil): return .confirm(by: caller, link: nil)
    case .confirm(let link?):
      guard let job = try await ledger.job(reference) else { throw UnknownJob(reference) }
      let stored: StoredLink?
      do throws(Failure) {
        stored = try await stages.stored(link, for: job)
      } catch {
        throw ProblemDocument(.link, saying: error.message)
      }
      guard let stored else {
        throw ProblemDocument(
          .backendMissing, saying: .linkWithoutBackend(name: DisplayText.escape(job.ticket.backend)))
      }
      return .confirm(by: caller, link: stored)
    case .retry: return .retry(by: caller)
    case .cancel(let reason, let remove): return .cancel(Cancellation(by: caller, reason: reason, remove: remove))
    case .discard:
      try await requireSpool(of: reference)
      return .discard(by: caller)
    case .release(let path): return .release(by: caller, to: path)
    }
  }

  func carryOut(_ command: Command, on selection: JobSelection, by caller: Caller) async throws -> BulkAnswer {
    var tally = BulkTally()
    switch selection {
    case .list(let references):
      for reference in references { tally.add(try await answerOne(reference, command, caller)) }
    case .seen(let jobs):
      for start in Swift.stride(from: 0, to: jobs.count, by: Self.stride) {
        // together, so that they share commits
        try await withThrowingTaskGroup(of: BulkTally.self) { group in
          for seen in jobs[start..<min(jobs.count, start + Self.stride)] {
            group.addTask { try await answerOne(seen.job, command, caller, seen.revision) }
          }
          for try await one in group { tally.add(one) }
        }
      }
    case .filter(let filter):
      guard let found = try await resolve(filter) else { break }
      let meant = JobSelection.filter(found.filter).filter(for: command.name)
      for (state, count) in try await counts(of: found) where meant?.states.contains(state) != true {
        tally.skip(count, in: state)
      }
      if let meant { try await answerAll(MeantJobs(meant, found.key), command, caller, &tally) }
    case .group(let filter, let digest):
      let found = try await answered(filter, digest)
      if JobSelection.filter(found.filter).filter(for: command.name) != nil {
        try await answerAll(found, command, caller, &tally)
      } else {
        for (state, count) in try await counts(of: found) { tally.skip(count, in: state) }
      }
    case .all:
      if let meant = selection.filter(for: command.name) {
        try await answerAll(MeantJobs(meant), command, caller, &tally)
      }
    }
    return tally.answer
  }

  private func answerAll(
    _ meant: MeantJobs, _ command: Command, _ caller: Caller, _ tally: inout BulkTally
  ) async throws {
    var after: JobNumber?
    while true {
      let jobs = try await jobs(meant, after: after, order: .oldest, limit: Self.stride)
      // together, so that they share commits
      try await withThrowingTaskGroup(of: BulkTally.self) { group in
        for job in jobs {
          guard meant.shown?.wasShown(changedAt: job.updatedAt) != false else {
            tally.skip(1, in: job.state)
            continue
          }
          // the answer applies to the revision that was shown, and to no later one
          let revision = meant.shown == nil ? nil : job.revision
          group.addTask { try await answerOne(.number(job.number), command, caller, revision) }
        }
        for try await one in group { tally.add(one) }
      }
      guard jobs.count == Self.stride else { return }
      after = jobs.last?.number
    }
  }

  private func answerOne(
    _ reference: JobReference, _ command: Command, _ caller: Caller, _ revision: Int64? = nil
  ) async throws -> BulkTally {
    var tally = BulkTally()
    do {
      _ = try await answer(reference, command, caller, revision)
      tally.done = 1
    } catch let refused as CommandRefused {
      let job = refused.refusal.job
      if let revision, revision != job.revision {
        tally.refuse(
          reference,
          .jobChangedSince(job: "\(reference)", state: job.state.rawValue, revision: job.revision))
      } else {
        tally.refuse(reference, .jobIs(job: "\(reference)", state: job.state.rawValue))
      }
    } catch is UnknownJob {
      tally.refuse(reference, .jobNotKnown(job: "\(reference)"))
    } catch let problem as ProblemDocument {
      let why = problem.said
      tally.refuse(
        reference,
        problem.code == .file
          ? .jobCannotBeDealtWith(job: "\(reference)", why: why) : .jobLeft(job: "\(reference)", why: why))
    } catch let failed as ReleaseFailed {
      tally.refuse(reference, .jobLeft(job: "\(reference)", why: failed.message))
    }
    return tally
  }
}

/// The count of a command for many.
private struct BulkTally {
  var done = 0
  var refused = 0
  var refusals: [BulkAnswer.Refused] = []
  private var left: [String: Int]?

  /// Counts jobs that a filter found and the command does not apply to.
  mutating func skip(_ count: Int, in state: JobState) {
    refused += count
    left = (left ?? [:]).merging([state.rawValue: count], uniquingKeysWith: +)
  }

  mutating func refuse(_ reference: JobReference, _ detail: Message) {
    refused += 1
    if refusals.count < BulkAnswer.mostListed {
      refusals.append(BulkAnswer.Refused(reference, detail: detail))
    }
  }

  mutating func add(_ other: BulkTally) {
    done += other.done
    refused += other.refused
    refusals += other.refusals.prefix(BulkAnswer.mostListed - refusals.count)
  }

  var answer: BulkAnswer { BulkAnswer(done: done, refused: refused, refusals: refusals, left: left) }
}

extension HolderMessage {
  fileprivate init(_ holder: SpoolHolder, isHere: Bool) {
    self.init(host: holder.host, since: MessageTime(holder.heldSince), here: isHere)
  }
}

extension Command {
  fileprivate var committed: Failpoint {
    switch self {
    case .confirm, .retry: .answerCommitted
    case .cancel: .cancelCommitted
    case .discard: .discardCommitted
    case .release: .releaseCommitted
    }
  }
}
