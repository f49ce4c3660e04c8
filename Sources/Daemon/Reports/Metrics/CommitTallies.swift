package import ControlAPI
package import Jobs
package import Ledger
import Messages
import Synchronization

/// Counts since the daemon's start, made from the same commits as journal and stream.
///
/// It runs on the ledger's thread: one lock for each commit, and some additions for each event.
package final class CommitTallies: Sendable {
  package struct Tallies: Sendable {
    package var events: [JobEvent.Kind: Int] = [:]
    package var failures: [Step: [Failure.Kind: Int]] = [:]
    package var cut: [Step: Int] = [:]
    package var uploadedBytes: Int64 = 0
    package var uploadTimes = Histogram(Histogram.requestTimes)
    package var registrationTimes = Histogram(Histogram.requestTimes)
    package var journeyTimes = Histogram(Histogram.journeyTimes)
    /// The things that were put on hold, by name and reason.
    package var closures: [String: [String: Int]] = [:]
    package var commitTimes = Histogram(Histogram.commitTimes)
    /// The registrations of the last hour, those before the start too.
    package var lastHour: LastHour

    package var uploaded: Int { events[.uploaded, default: 0] }
    package var registered: Int { events[.registered, default: 0] }

    package func failed(_ step: Step) -> Int { failures[step, default: [:]].values.reduce(0, +) }
  }

  private let tallies: Mutex<Tallies>

  package init(lastHour: LastHour = LastHour()) { tallies = Mutex(Tallies(lastHour: lastHour)) }

  package var now: Tallies { tallies.withLock { $0 } }

  package func read(_ commit: Commit) {
    tallies.withLock { tallies in
      for event in commit.events { tallies.read(event) }
      for attempt in commit.untold { tallies.read(attempt) }
      for occurrence in commit.occurrences { tallies.read(occurrence) }
      tallies.commitTimes.observe(commit.took)
    }
  }
}

extension CommitTallies.Tallies {
  fileprivate mutating func read(_ event: JobEvent) {
    events[event.kind, default: 0] += 1
    switch event.kind {
    case .uploaded:
      uploadedBytes +|= event.job.identity.size
      uploadTimes.observe(event.took ?? .zero)
    case .registered:
      registrationTimes.observe(event.took ?? .zero)
      journeyTimes.observe(event.at - event.job.ticket.createdAt)
      lastHour.add(1, at: event.at)
    case .deferred, .question, .aborted:
      // Without a time there was no try: the destination is not configured.
      if let took = event.took, let failure = event.job.failure { read(failure, of: event.step, took) }
    case .admitted, .skipped, .confirmed, .retried, .cancelled, .released, .discarded, .cleaned, .objectLeft: break
    }
  }

  fileprivate mutating func read(_ attempt: Attempt) {
    if let failure = attempt.failure {
      read(failure, of: attempt.step, attempt.took)
    } else if attempt.outcome == .cut {
      cut[attempt.step, default: 0] += 1
    }
  }

  private mutating func read(_ failure: Failure, of step: Step, _ took: Duration) {
    failures[step, default: [:]][failure.kind, default: 0] += 1
    switch step {
    case .upload: uploadTimes.observe(took)
    case .register: registrationTimes.observe(took)
    }
  }

  fileprivate mutating func read(_ occurrence: Occurrence) {
    guard occurrence.kind == .gateClosed, case .target(let target) = occurrence.subject,
      let reason = occurrence.reason
    else { return }
    closures[target.name, default: [:]][reason.text, default: 0] += 1
  }
}
