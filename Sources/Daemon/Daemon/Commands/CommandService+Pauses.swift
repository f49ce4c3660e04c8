import ControlAPI
import Delivery
import Jobs
import Ledger
import Linux
import Messages
import Reports
import Seams

/// Pauses, the form in which gates and pauses are shown, and what a job waits for.
extension CommandService {
  /// Pauses a target. If it is paused already, nothing changes, and the answer says so.
  func pause(_ target: Pause.Target, by caller: Caller) async throws -> PauseAnswer {
    if target == .recovered {
      throw ProblemDocument(.invalidRequest, saying: .recoveredOnlyResumed)
    }
    if let unknown = unknown(target) { throw unknown }
    let isNew = try await ledger.pause(target, by: caller)
    if isNew { Failpoint.pauseCommitted.pass() }
    return answer(isNew ? .pausedBy(target: target.name, user: caller.user) : .pausedAlready(target: target.name))
  }

  /// Ends a pause, and lets a probe start at once where a gate waits for a time. If there is neither a pause nor such a gate,
  /// nothing changes, and the answer says so. It names the questions, which only their answers end.
  func resume(_ target: Pause.Target, by caller: Caller) async throws -> PauseAnswer {
    if !ledger.counts.isPaused(target), let unknown = unknown(target) { throw unknown }
    stages.proveNext(at: destinations(of: target))
    let wasPaused = try await ledger.resume(target, by: caller)
    if wasPaused { Failpoint.resumeCommitted.pass() }
    let probed = try await ledger.probe(destinations(of: target)).filter { destination in
      // Another pause may hold it still.
      !ledger.counts.pausedTargets.contains { $0.target.holdsAll || $0.target == .destination(destination) }
    }
    let resumed: Message? = wasPaused ? .resumedBy(target: target.name, user: caller.user) : nil
    let tried: Message? = probed.isEmpty ? nil : .triedAtOnce(destinations: probed.map(\.text).joined(separator: ", "))
    let asking = destinations(of: target).filter { ledger.counts.gates[$0]?.closure?.reason == .question }
    let said = [resumed, tried].compactMap(\.self) + asking.map { .asks(destination: $0.text) }
    let message = said.dropFirst().reduce(said.first) { all, next in
      all.map { .and(what: $0, more: next) }
    }
    return answer(message ?? .notPaused(target: target.name))
  }

  /// The destinations that a pause of this would stop by itself.
  private func destinations(of target: Pause.Target) -> [Destination] {
    switch target {
    case .all, .recovered: stages.destinations
    case .destination(let destination): [destination]
    case .spool, .intake, .late: []
    }
  }

  func message(_ hold: Hold, isOfJob: Bool = false) -> HoldMessage {
    HoldMessage(
      destination: hold.target.name, reason: hold.reason.rawValue, since: isOfJob ? nil : hold.since,
      until: hold.until.map { $0 + clockOffset }, by: isOfJob ? nil : hold.by.map { CallerMessage($0) },
      words: words(for: hold))
  }

  /// Returns the explanation that the hold's name and reason do not give: the key that cannot be read, or the look that precedes
  /// a job; nil if there is none.
  private func words(for hold: Hold) -> Message? {
    guard case .destination(let destination) = hold.target else { return nil }
    switch hold.reason {
    case .credentials: return lackOfKeys(at: destination)
    case .question, .paused: return nil
    case .unavailable, .gateway, .throttled, .network:
      guard let way = stages.wayOfLook(at: destination) else { return nil }
      return hold.lastLook.map { .lastMet(way: way, why: $0) } ?? way
    }
  }

  private func answer(_ message: Message) -> PauseAnswer {
    PauseAnswer(pauses: pauses(ledger.counts), message: message)
  }

  func pauses(_ counts: LedgerCounts) -> [HoldMessage] {
    counts.pausedTargets.map { hold in
      var message = message(hold)
      if hold.target == .recovered { message.words = .recovered(count: counts.movingByThemselves) }
      return message
    }
  }

  /// Returns the problem of a name that is not in the configuration, or that no caller may pause; nil for any other.
  private func unknown(_ target: Pause.Target) -> ProblemDocument? {
    let (name, kind, known): (String, String, [String])
    switch target {
    case .all, .recovered, .intake: return nil
    case .late:
      return ProblemDocument(.invalidRequest, saying: .holdOfLateSpool)
    case .spool(let spool): (name, kind, known) = (spool, "spool", Array(stages.spools.keys))
    case .destination(let destination):
      let names = stages.destinations.filter { $0.kind == destination.kind }.map(\.name)
      (name, kind, known) = (destination.name, destination.kind.rawValue, names)
    }
    if known.contains(name) { return nil }
    return ProblemDocument(
      .unknownDestination,
      saying: .noSuchName(
        kind: kind, name: DisplayText.escape(name), names: known.sorted().joined(separator: ", ")))
  }

  /// Returns the reason why a job does not move now, and what ends it; nil for a job that has ended. If nothing ends it, that is
  /// an error in the journal.
  func standstill(of job: Job) async throws -> StandstillMessage? {
    guard !job.state.isTerminal,
      let (job, standstill) = try await ledger.standstill(of: job.number, in: parts.pipeline.state)
    else { return nil }
    let message = StandstillMessage(
      standstill, of: job, hold: standstill.hold.map { self.message($0) }, clockOffset: clockOffset)
    if standstill.end == .nothing {
      parts.journal.error("job \(job.number) is \(job.state.rawValue) at \(job.destination): \(message.message)")
    }
    return message
  }
}
