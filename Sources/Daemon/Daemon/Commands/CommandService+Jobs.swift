import ControlAPI
import ControlServer
import Delivery
import Jobs
import Ledger
import Linux
import Messages
import Seams
import Spool

/// The commands for jobs: what must hold before one, the change in the ledger, and what follows from it.
extension CommandService {
  private static let stride = 256

  func carryOut(
    _ command: JobCommand, on reference: JobReference, by caller: Caller, revision: Int64?
  ) async throws -> CommandAnswer {
    let (job, step) = try await apply(command, to: SeenJob(reference, revision: revision), by: caller)
    return CommandAnswer(command, message(job), at: step, by: caller)
  }

  private func apply(_ command: JobCommand, to seen: SeenJob, by caller: Caller) async throws -> (job: Job, step: Step)
  {
    do {
      let link = try await link(of: command, for: seen.job)
      if command == .discard { try await requireSpool(of: seen.job) }
      if command.name == .release { try await requireMoved(seen.job) }
      let (job, step) = try await ledger.carryOut(
        command, on: seen.job, by: caller, link: link, revision: seen.revision)
      return (try await afterwards(job, command), step)
    } catch let refusal as Refusal {
      // Ignored: without the history the refusal says less.
      let last = try? await ledger.history(of: refusal.job.number).last { $0.by != nil }
      throw CommandRefused(refusal, change: last?.kind, changedBy: last?.by, changedAt: last?.at)
    }
  }

  /// Returns the link that a confirm names as the ledger keeps it; nil for every other command.
  private func link(of command: JobCommand, for reference: JobReference) async throws -> StoredLink? {
    guard case .confirm(let link?) = command else { return nil }
    guard let job = try await ledger.job(reference) else { throw UnknownJob(reference) }
    let stored: StoredLink?
    do throws(Failure) {
      stored = try await stages.stored(link, for: job)
    } catch {
      throw ProblemDocument(.linkRejected, saying: error.message)
    }
    guard let stored else {
      throw ProblemDocument(
        .backendNotConfigured, saying: .linkWithoutBackend(name: DisplayText.escape(job.ticket.backend)))
    }
    return stored
  }

  /// Does what a command brings about besides the change, which is durable by now.
  private func afterwards(_ job: Job, _ command: JobCommand) async throws -> Job {
    command.committed.pass()
    switch command {
    case .cancel:
      parts.pipeline.cut(job.number)
      return job
    case .discard:
      // `discarded` is durable before the file is removed; after a crash in between, the next start removes it
      try await parts.disposals.dispose(of: job)
      return job
    case .release(let path):
      return try await release(job, to: path)
    case .confirm, .retry:
      guard job.state == .queued, !stages.isConfigured(job.destination) else { return job }
      // the command stands, and the same question is asked again: there is still nowhere to send it
      return try await ledger.askAboutDestination(of: job.number) ?? job
    }
  }

  /// Makes sure that the file of a job that is about to be discarded can be removed: its spool is configured under that name.
  func requireSpool(of reference: JobReference) async throws {
    guard let job = try await ledger.job(reference), JobCommand.Name.discard.fits(job.state),
      stages.spools[job.ticket.spool] == nil, job.ticket.parcel != .inPlace
    else { return }
    let name = DisplayText.escape(job.ticket.spool)
    throw ProblemDocument(.spoolNotConfigured, saying: .spoolOfFileMissing(spool: name, job: job.number.rawValue))
  }

  /// Makes sure that the file of a job that is about to be released was taken from where it was dropped.
  func requireMoved(_ reference: JobReference) async throws {
    guard let job = try await ledger.job(reference), job.ticket.parcel == .inPlace else { return }
    let path = stages.spools[job.ticket.spool]?.path(job.ticket.claim) ?? job.ticket.dropped
    throw ProblemDocument(.fileInPlace, saying: .fileInPlace(path: path.shown))
  }

  /// Gives the file back: it becomes durable in its target directory, then the job ends, then the claimed name is removed.
  /// - Throws: a ``ProblemDocument`` with the reason; the job is as it was before.
  func release(_ job: Job, to path: String) async throws -> Job {
    do {
      try await stages.release(job, to: path)
    } catch {
      Failpoint.releaseFailing.pass()
      _ = try await ledger.releaseFailed(job.number)
      let why = (error as? FileError)?.message ?? (error as? Failure)?.message ?? .otherError(why: "\(error)")
      throw ProblemDocument(.releaseFailed, saying: .cannotBeReleased(name: job.ticket.name.shown, why: why))
    }
    let released = try await ledger.released(job.number) ?? job
    Failpoint.releasedCommitted.pass()
    guard released.state == .discarded else {
      // A reload has ended the release as failed, and the job keeps its file.
      let why = Message.notConfigured(name: "spool.\(job.ticket.spool)")
      throw ProblemDocument(.releaseFailed, saying: .cannotBeReleased(name: job.ticket.name.shown, why: why))
    }
    try await parts.disposals.dispose(of: released)
    return released
  }

  func carryOut(_ command: JobCommand, on selection: JobSelection, by caller: Caller) async throws -> BulkAnswer {
    var tally = BulkTally()
    switch selection {
    case .seen(let jobs):
      for start in Swift.stride(from: 0, to: jobs.count, by: Self.stride) {
        let some = jobs[start..<min(jobs.count, start + Self.stride)]
        tally.add(try await count(command, onAllOf: some, by: caller))
      }
    case .filter(let filter):
      guard let found = try await resolve(filter) else { break }
      let meant = JobSelection.filter(found.filter).filter(for: command.name)
      for (state, count) in try await counts(of: found) where meant?.states.contains(state) != true {
        tally.skip(count, in: state)
      }
      if let meant { try await carryOut(command, on: MeantJobs(filter: meant, key: found.key), by: caller, &tally) }
    case .group(let filter, let digest):
      let found = try await group(filter, shownAs: digest)
      if JobSelection.filter(found.filter).filter(for: command.name) != nil {
        try await carryOut(command, on: found, by: caller, &tally)
      } else {
        for (state, count) in try await counts(of: found) { tally.skip(count, in: state) }
      }
    case .all:
      if let meant = selection.filter(for: command.name) {
        try await carryOut(command, on: MeantJobs(filter: meant), by: caller, &tally)
      }
    }
    return tally.answer
  }

  private func carryOut(
    _ command: JobCommand, on meant: MeantJobs, by caller: Caller, _ tally: inout BulkTally
  ) async throws {
    var after: JobNumber?
    while true {
      let jobs = try await jobs(meant, after: after, order: .oldest, limit: Self.stride)
      var taken: [SeenJob] = []
      for job in jobs {
        guard meant.shown?.wasShown(changedAt: job.updatedAt) != false else {
          tally.skip(1, in: job.state)
          continue
        }
        // the command is for what was shown of the job, and for nothing that comes later
        taken.append(SeenJob(.number(job.number), revision: meant.shown == nil ? nil : job.revision))
      }
      tally.add(try await count(command, onAllOf: taken, by: caller))
      guard jobs.count == Self.stride else { return }
      after = jobs.last?.number
    }
  }

  /// Carries out a command on some jobs together, so that they share commits. Refusals are in the order of the jobs.
  private func count(
    _ command: JobCommand, onAllOf jobs: some Sequence<SeenJob>, by caller: Caller
  ) async throws -> BulkTally {
    try await withThrowingTaskGroup(of: (place: Int, tally: BulkTally).self) { group in
      for (place, seen) in jobs.enumerated() {
        group.addTask { (place, try await count(command, on: seen, by: caller)) }
      }
      var tallies: [(place: Int, tally: BulkTally)] = []
      for try await one in group { tallies.append(one) }
      var tally = BulkTally()
      for one in tallies.sorted(by: { $0.place < $1.place }) { tally.add(one.tally) }
      return tally
    }
  }

  private func count(_ command: JobCommand, on seen: SeenJob, by caller: Caller) async throws -> BulkTally {
    var tally = BulkTally()
    let reference = seen.job
    do {
      _ = try await apply(command, to: seen, by: caller)
      tally.done = 1
    } catch let refused as CommandRefused {
      let job = refused.refusal.job
      if let revision = seen.revision, revision != job.revision {
        tally.refuse(
          reference,
          .jobChangedSince(job: "\(reference)", state: job.state.rawValue, revision: job.revision))
      } else {
        tally.refuse(reference, .jobIs(job: "\(reference)", state: job.state.rawValue))
      }
    } catch is UnknownJob {
      tally.refuse(reference, .jobNotKnown(job: "\(reference)"))
    } catch let problem as ProblemDocument {
      tally.refuse(reference, .jobLeft(job: "\(reference)", why: problem.said))
    }
    return tally
  }
}

private struct BulkTally {
  var done = 0
  var refused = 0
  var refusals: [BulkAnswer.Refused] = []
  private var left: [String: Int]?

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

extension JobCommand {
  fileprivate var committed: Failpoint {
    switch self {
    case .confirm, .retry: .answerCommitted
    case .cancel: .cancelCommitted
    case .discard: .discardCommitted
    case .release: .releaseCommitted
    }
  }
}
