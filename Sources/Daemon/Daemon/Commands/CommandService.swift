import ControlAPI
import ControlServer
import Delivery
import HTTPTransfer
import Jobs
import Ledger
import Linux
import Messages
import Reports
import Settings
import Spool
import WebPages

/// Carries out the calls of the control socket (``ControlOperations``) with the daemon's parts.
///
/// This file has the list of jobs, one job and the status. Each of the other calls is in a file `CommandService+….swift`.
struct CommandService: ControlOperations {
  let parts: DaemonParts
  let configurationReload: Reload
  let startedAt: Timestamp
  let userNames: UserNames

  var ledger: JobLedger { parts.ledger }
  var stages: Stages { parts.current.now }

  /// The time by which the wall clock is ahead of the steady one.
  var clockOffset: Duration { parts.clock.now() - parts.clock.steady() }

  func jobs(_ query: ListQuery) async throws -> JobPage {
    guard let meant = try await resolve(query.filter) else { return JobPage(jobs: [], next: nil) }
    // One job more than asked for shows if there is a next page.
    let (after, limit) = (query.after?.after, query.limit + 1)
    var (jobs, next): JobLedger.Page =
      meant.key == nil
      ? try await ledger.page(meant.filter, after: after, order: query.order, limit: limit)
      : (try await self.jobs(meant, after: after, order: query.order, limit: limit), nil)
    if jobs.count == limit {
      jobs.removeLast()
      next = jobs.last?.number
    }
    let counts = ledger.counts
    return JobPage(jobs: jobs.map { message($0, counts) }, next: next.map { PageCursor(after: $0).description })
  }

  func reload(by caller: Caller) async throws -> ReloadAnswer { try await configurationReload.run(by: caller) }

  func message(_ job: Job) -> JobMessage { message(job, ledger.counts) }

  func message(_ job: Job, _ counts: LedgerCounts) -> JobMessage {
    let hold = job.state == .queued ? counts.holds(on: job).first : nil
    return JobMessage(
      job, path: stages.path(of: job), heldBy: hold.map { message($0, isOfJob: true) }, clockOffset: clockOffset)
  }

  func status(on hosts: Set<String>) async throws -> StatusMessage {
    try await parts.orphans.updateIfDue()
    let oldest = try await ledger.oldestWaiting()
    let active = parts.activity.current
    let counts = ledger.counts
    return StatusMessage(
      identity: identity, version: Daemon.version, uptime: (parts.clock.steady() - startedAt).wholeSeconds,
      activity: StatusMessage.Activity(upload: active.uploads, register: active.registrations),
      counts: Dictionary(uniqueKeysWithValues: JobState.allCases.map { ($0, counts.jobs[$0]) }),
      lastHour: parts.tallies.now.lastHour.minutes(until: parts.clock.now()),
      gates: counts.closedGates.map { message($0) }, pauses: pauses(counts),
      cleanups: try await ledger.cleanupsOwed(),
      ledger: ledger.setAside?.message ?? ledger.loss.map { Message.ledgerLostInPart(why: $0) },
      transfers: parts.activity.largeUploads,
      destinations: parts.current.limits().map { limit in
        DestinationMessage(
          destination: limit.destination.text,
          concurrency: .init(
            limit: limit.limit, inFlight: counts.inFlight[limit.destination], adaptive: limit.isAdaptive),
          rate: parts.current.rates.use(of: limit.destination.text).map { .init(perSecond: $0, waiting: $1) })
      },
      bandwidth: parts.current.now.configuration.daemon.bandwidth,
      spools: stages.spools.values.sorted { $0.options.name < $1.options.name }.map { spool in
        let status = spool.status
        return SpoolMessage(
          name: spool.options.name, path: spool.options.path, watch: status.isWatched ? "inotify" : "poll",
          readiness: status.readiness, leases: status.leases,
          uncertain: status.names[.uncertain] ?? 0, waiting: status.waiting, lastScan: status.lastScan,
          oldestWaiting: oldest[spool.options.name], storage: spool.options.storage, backend: spool.options.backend)
      }, problems: parts.problems.messages, untaken: stages.spools.mapValues(\.status.untaken))
  }

  func job(_ reference: JobReference) async throws -> JobDetailMessage? {
    guard let job = try await ledger.job(reference) else { return nil }
    let history = try await ledger.history(of: job.number).map {
      HistoryMessage(
        at: $0.at, event: $0.kind, step: $0.step, revision: $0.job.revision, by: $0.by, reason: $0.reason)
    }
    let cleanup = try await ledger.cleanup(of: job.number).map {
      CleanupMessage($0, clockOffset: clockOffset)
    }
    var files: JobDetailMessage.Files?
    if let group = job.ticket.parcel.group {
      let progress = try await ledger.progress(of: job.number)
      files = .init(stored: progress.stored, all: max(progress.files, group.files ?? 0))
    }
    return JobDetailMessage(
      job, message: message(job), standstill: try await standstill(of: job),
      holds: ledger.counts.holds(on: job).map { message($0) }, cleanup: cleanup,
      attempts: try await ledger.attempts(of: job.number).map { AttemptMessage($0) },
      history: history, answer: try await ledger.failedAnswer(of: job.number), files: files)
  }
}
