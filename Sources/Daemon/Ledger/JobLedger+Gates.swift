package import Jobs
import Linux
import Messages
import SQLite
import Seams

extension JobLedger {
  /// Notes that a destination's key has changed: where jobs wait for a key, one probes at once.
  package func keyChanged(_ destination: Destination) {
    writer.record { batch in
      try batch.applyToGate(.keyChanged(inFlight: batch.inFlight(at: destination)), at: destination)
    }
  }

  /// Notes that a route or an address of this machine came or went: where jobs wait for the network, one probes at once.
  package func networkChanged(_ destinations: [Destination]) {
    writer.record { batch in
      for destination in destinations {
        try batch.applyToGate(.networkChanged(inFlight: batch.inFlight(at: destination)), at: destination)
      }
    }
  }

  /// Notes which backend grants the uploads to a storage: an upload begins only if nothing holds either. The call does not wait: later calls
  /// find it so.
  package func setGrantors(_ grantors: [Destination: Destination]) {
    writer.record { batch in batch.counts.grantors = grantors }
  }

  /// Allows a probe at once at gates that wait for a time, because a person asks for it or the configuration has changed. It does not
  /// answer a question. Returns the destinations that waited.
  package func probe(_ destinations: [Destination]) async throws -> [Destination] {
    try await writer.perform { batch in
      let waiting = destinations.filter { batch.counts.gates[$0]?.until != nil }
      for destination in waiting { try batch.applyToGate(.probeWanted, at: destination) }
      return waiting
    }
  }

  /// Pauses a target until ``resume(_:by:)``; through restarts.
  /// Returns false if it was paused before.
  package func pause(_ target: Pause.Target, by caller: Caller) async throws -> Bool {
    try await writer.perform { batch in try batch.pause(target, by: caller) }
  }

  /// Resumes a paused target. Returns false if it was not paused.
  package func resume(_ target: Pause.Target, by caller: Caller) async throws -> Bool {
    try await writer.perform { batch in try batch.resume(target, by: caller) }
  }

  /// Holds the jobs of a late spool, whose claimed files are not all in the ledger yet. The call does not wait: later calls find the
  /// jobs held.
  package func holdLate(_ spool: String, by caller: Caller) {
    writer.record { batch in _ = try batch.begin(Pause(.late(spool), since: batch.clock.now(), by: caller)) }
  }

  package func endLate(_ spool: String) { writer.record { batch in _ = try batch.end(.late(spool)) } }
}

extension LedgerBatch {
  mutating func pause(_ target: Pause.Target, by caller: Caller) throws -> Bool {
    guard try begin(Pause(target, since: clock.now(), by: caller)) else { return false }
    try publish(occurrence(.gateClosed, target, by: caller))
    Failpoint.pauseCommitting.pass()
    return true
  }

  /// Pauses all jobs and claims, because `count` jobs may no longer be wanted.
  mutating func holdRecovered(_ count: Int, by caller: Caller) throws {
    guard try begin(Pause(.recovered, since: clock.now(), by: caller)) else { return }
    try publish(
      Occurrence(
        .gateClosed, of: .target(.recovered), at: clock.now(), message: .recovered(count: count),
        reason: .text(Gate.Reason.paused.rawValue)))
  }

  mutating func resume(_ target: Pause.Target, by caller: Caller) throws -> Bool {
    guard try end(target) else { return false }
    try publish(occurrence(.gateOpened, target, by: caller))
    Failpoint.resumeCommitting.pass()
    return true
  }

  fileprivate mutating func begin(_ pause: Pause) throws -> Bool {
    guard !counts.isPaused(pause.target) else { return false }
    try PauseRow.write(pause, into: db)
    counts.pauses.append(pause)
    try readQueues()
    return true
  }

  fileprivate mutating func end(_ target: Pause.Target) throws -> Bool {
    guard counts.isPaused(target) else { return false }
    try PauseRow.delete(target, from: db)
    counts.pauses.removeAll { $0.target == target }
    try readQueues()
    return true
  }

  /// Reads anew which jobs can be begun, and how many.
  mutating func readQueues() throws {
    try write()
    memory.heads.forget()
    try memory.recount(db)
    cleanupsDidChange()
  }

  private func occurrence(_ kind: Occurrence.Kind, _ target: Pause.Target, by caller: Caller) -> Occurrence {
    let user = DisplayText.escape(caller.user)
    return Occurrence(
      kind, of: .target(target), at: clock.now(),
      message: kind == .gateClosed
        ? .pausedBy(target: target.name, user: user) : .resumedBy(target: target.name, user: user),
      reason: .text(Gate.Reason.paused.rawValue), by: caller)
  }
}

/// Jobs whose destination is no longer in the configuration. They ask a person: there is nowhere to send them.
extension JobLedger {
  /// Makes the unfinished jobs of each destination that is not configured ask a question, and forgets the destination's gate.
  /// It reads all unfinished jobs: at the start, after a change of the configuration, and if jobs are queued there later.
  /// Returns the jobs that ask now and did not before.
  package func askAboutUnconfigured(_ isConfigured: @escaping @Sendable (Destination) -> Bool) async throws
    -> [JobNumber]
  {
    try await writer.perform { batch in batch.forgetGates(unless: isConfigured) }
    var asking: [JobNumber] = []
    let destinations = try await read { db in
      let texts: [String] = try db.column(
        "SELECT DISTINCT destination FROM job WHERE \(LedgerSchema.Condition.unfinished)")
      return try texts.map(Destination.init(stored:))
    }
    for destination in destinations where !isConfigured(destination) {
      // A million numbers take 8 MB; reading them delays no commit.
      let moving: [Int64] = try await read { db in try db.column(Self.selectMoving, [destination.text]) }
      var rest = moving.map(JobNumber.init(rawValue:))[...]
      while !rest.isEmpty {
        let page = rest.prefix(Self.page)
        rest = rest.dropFirst(Self.page)
        asking += try await writer.perform { batch in
          try page.filter { number in try batch.job(number).map { try batch.askAboutDestination(of: $0) } ?? false }
        }
      }
    }
    return asking
  }

  static let selectMoving = """
    SELECT number FROM job INDEXED BY job_present WHERE \(LedgerSchema.Condition.unfinished) \
    AND state NOT IN ('active', 'awaiting-confirmation') AND destination = ? ORDER BY number
    """

  /// Makes one job without a configured destination ask; returns it as it is now, nil if it has left the ledger.
  package func askAboutDestination(of number: JobNumber) async throws -> Job? {
    try await writer.perform { batch in
      guard let job = try batch.job(number) else { return nil }
      try batch.askAboutDestination(of: job)
      return try batch.job(number)
    }
  }

  private static let page = 256
}

extension LedgerBatch {
  /// Makes a job ask if it would continue to a destination by itself; returns true if it asks now and did not before.
  @discardableResult
  mutating func askAboutDestination(of job: Job) throws -> Bool {
    try apply(.mustAsk(Failure(.configuration, .notConfigured(name: job.destination.text))), to: job) != nil
  }
}
