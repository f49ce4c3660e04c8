import ControlAPI
import Delivery
import Jobs
import Ledger
import Messages
import ObjectStorage
import Reports
import Spool

extension CommandService {
  func metrics() async throws -> String {
    let oldest = try await ledger.oldestWaiting()
    let owed = try await ledger.cleanupsOwed()
    let (counts, tallies) = (ledger.counts, parts.tallies.now)
    var text = Exposition()
    text.family("waybill_build_info", .gauge, "The daemon's version.", [.init(1, ("version", Daemon.version))])
    describeJobs(&text, counts, oldest)
    describeAttempts(&text, tallies)
    describeHolds(&text, counts, tallies, owed: owed)
    text.times("waybill_ledger_commit_duration_seconds", "Duration of commits.", tallies.commitTimes)
    describeSpools(&text)
    describeProblems(&text)
    return text.text
  }

  private func describeJobs(_ text: inout Exposition, _ counts: LedgerCounts, _ oldest: [String: Timestamp]) {
    let steps = Step.allCases
    text.family(
      "waybill_jobs", .gauge, "Jobs in the ledger by step and state.",
      steps.flatMap { step in
        JobState.allCases.map { .init(counts.jobs[step, $0], ("step", step.rawValue), ("state", $0.rawValue)) }
      })
    let unfinished = JobState.allCases.filter { !$0.isTerminal }
    text.family(
      "waybill_backlog_bytes", .gauge, "Bytes of the files of unfinished jobs, by their next step.",
      steps.map { step in
        .init(unfinished.map { counts.jobs.bytes(step, $0) }.saturatingSum, ("step", step.rawValue))
      })
    let now = parts.clock.now()
    text.family(
      "waybill_backlog_oldest_age_seconds", .gauge,
      "Time since the oldest unfinished job was admitted; 0 without one.",
      spoolNames.map { name in .init(oldest[name].map { max(.zero, now - $0) } ?? .zero, ("spool", name)) })
    let active = parts.activity.current
    text.family(
      "waybill_requests_in_flight", .gauge,
      "Steps in flight: reading, sending or waiting for the answer.",
      [.init(active.uploads, ("step", "upload")), .init(active.registrations, ("step", "register"))])
    let events = parts.tallies.now.events
    text.family(
      "waybill_job_events_total", .counter, "Events of jobs, by the names of the journal.",
      JobEvent.Kind.allCases.map { .init(events[$0, default: 0], ("event", $0.rawValue)) })
  }

  private func describeAttempts(_ text: inout Exposition, _ tallies: CommitTallies.Tallies) {
    let steps = Step.allCases
    text.family(
      "waybill_attempts_total", .counter, "Attempts by step and result.",
      steps.flatMap { step -> [Exposition.Sample] in
        let succeeded = step == .upload ? tallies.uploaded : tallies.registered
        let outcomes: [(Attempt.Outcome, Int)] = [
          (.succeeded, succeeded), (.failed, tallies.failed(step)), (.cut, tallies.cut[step, default: 0]),
        ]
        return outcomes.map { .init($0.1, ("step", step.rawValue), ("outcome", $0.0.rawValue)) }
      })
    text.family(
      "waybill_attempt_failures_total", .counter, "Failed attempts by the kind of failure.",
      steps.flatMap { step in
        Failure.Kind.allCases.map { kind in
          let count = tallies.failures[step]?[kind] ?? 0
          return .init(count, ("step", step.rawValue), ("kind", kind.rawValue))
        }
      })
    text.family(
      "waybill_uploaded_bytes_total", .counter, "Bytes of the files that were uploaded.",
      [.init(tallies.uploadedBytes)])
    text.times("waybill_upload_duration_seconds", "Duration of attempts to upload.", tallies.uploadTimes)
    text.times(
      "waybill_registration_duration_seconds", "Duration of attempts to register.", tallies.registrationTimes)
    text.times(
      "waybill_drop_to_registered_seconds", "Time from a file's admission until its registration was durable.",
      tallies.journeyTimes)
  }

  private func describeHolds(
    _ text: inout Exposition, _ counts: LedgerCounts, _ tallies: CommitTallies.Tallies, owed: Int
  ) {
    let closed = Set(counts.closedGates.map(\.target))
    text.family(
      "waybill_gate_closed", .gauge, "1 while a destination is on hold.",
      stages.destinations.map { .init(closed.contains(.destination($0)) ? 1 : 0, ("destination", $0.text)) })
    text.family(
      "waybill_gate_closures_total", .counter, "Holds of destinations, and pauses, that began.",
      tallies.closures.sorted { $0.key < $1.key }.flatMap { target, reasons in
        reasons.sorted { $0.key < $1.key }.map { .init($0.value, ("destination", target), ("reason", $0.key)) }
      })
    let paused = Set(counts.pausedTargets.map(\.target))
    let targets: [Pause.Target] =
      [.all, .recovered, .intake] + stages.destinations.map { .destination($0) } + spoolNames.map { .spool($0) }
    text.family(
      "waybill_paused", .gauge, "1 while a person has paused it.",
      targets.map { .init(paused.contains($0) ? 1 : 0, ("target", $0.name)) })
    text.family(
      "waybill_cleanups_owed", .gauge, "Unfinished cleanups at a storage.", [.init(owed)])
  }

  private func describeSpools(_ text: inout Exposition) {
    let spools = spoolNames.compactMap { name in stages.spools[name].map { (name, $0.status) } }
    text.family(
      "waybill_spool_last_scan_timestamp_seconds", .gauge, "End of the last scan of a whole spool.",
      spools.compactMap { name, status in
        status.lastScan.map { .init(.microseconds($0.microseconds), ("spool", name)) }
      })
    text.family(
      "waybill_spool_candidates", .gauge, "Files of a spool that must rest, or that wait to be admitted.",
      spools.map { .init($0.1.candidates, ("spool", $0.0)) })
    text.family(
      "waybill_spool_last_file_timestamp_seconds", .gauge,
      "Time of the last admission in a spool.",
      spools.compactMap { name, _ in
        ledger.counts.lastFiles[name].map { .init(.microseconds($0.microseconds), ("spool", name)) }
      })
  }

  private func describeProblems(_ text: inout Exposition) {
    let counts = parts.problems.counts
    text.family(
      "waybill_problems", .gauge, "Problems that keep the daemon from working, by the part that is affected.",
      CurrentProblems.Area.allCases.map { .init(counts[$0, default: 0], ("what", $0.rawValue)) })
  }

  private var spoolNames: [String] { stages.spools.keys.sorted() }
}
