import ControlAPI
import Delivery
import FoundationEssentials
import HTTPTransfer
import Jobs
import Ledger
import Linux
import Messages
import Reports
import Seams
import Settings
import Spool
import SystemdLink

/// Reads the configuration again while the daemon runs, and puts it into effect: all of it, or nothing. Requests in flight end
/// under the configuration that they began with.
actor Reload {
  /// The problem that the last reload was refused.
  static let refusal = CurrentProblems.Key(area: .configuration)

  private let parts: DaemonParts
  private var last: Task<ReloadAnswer, any Error>?

  init(_ parts: DaemonParts) { self.parts = parts }

  /// Reloads after all earlier reloads have ended. The journal gets the result, good or bad.
  ///
  /// The work is a separate task, so that a reload that has begun is completed even if its caller goes away.
  /// - Parameter caller: the user who asked for it; nil for a signal.
  /// - Throws: a ``ProblemDocument`` (422) for a configuration that cannot be used, and the old one stays; `CancellationError`
  ///   while the daemon stops; or an error that ends the daemon.
  func run(by caller: Caller?) async throws -> ReloadAnswer {
    let previous = last
    let task = Task(executorPreference: parts.machine.tasks) { [parts] in
      _ = await previous?.result
      return try await Self.run(parts, by: caller)
    }
    last = task
    return try await task.value
  }

  private static func run(_ parts: DaemonParts, by caller: Caller?) async throws -> ReloadAnswer {
    parts.notifier.reloading()
    defer { parts.status.ready() }
    let old = parts.current.now
    let new: Stages
    let changes: ConfigurationChanges
    do {
      let read = try Configuration.load(path: parts.builder.shared.path, environment: parts.builder.shared.environment)
      changes = read.changes(from: old.configuration)
      let kept = read.keepingWhatIsFixed(of: old.configuration)
      try kept.requireLedgerOutside()
      new = try parts.builder.build(kept)
    } catch {
      let words = DaemonError(error).words
      parts.journal.error("configuration rejected; the old one stays in use: \(words)")
      record(.reloadRejected, words, by: caller, parts)
      let lines = words.split(separator: "\n")
      let first = DisplayText.escape(lines.first.map(String.init) ?? words)
      parts.problems.set(
        Self.refusal, .configurationRefused(why: first, count: lines.count), remedy: .checkThenReload)
      throw ProblemDocument(.configurationRejected, saying: .configurationRejected(why: "\n\(words)"))
    }
    Failpoint.reloadRead.pass()
    let asking = try await putIntoEffect(new, insteadOf: old, changes, parts)
    parts.problems.clear(Self.refusal)
    let orphans: [Message]
    do {
      orphans = try await parts.orphans.update()
    } catch {
      // The reload counts all the same.
      orphans = [.spoolsNotLookedAt(why: DaemonError(error).words)]
    }
    let answer = ReloadAnswer(
      added: changes.added, changed: changes.changed, removed: changes.removed, needsRestart: changes.needsRestart,
      asking: asking.map(\.rawValue), problems: new.refusals.map(\.said) + orphans)
    parts.journal.log(.occurrence(.reloaded), answer.message.text, version: Daemon.version)
    record(answer.message, nil, by: caller, parts)
    return answer
  }

  /// Records in the ledger's log who asked for the reload, and the result. The journal has it already.
  private static func record(_ result: Message, _ reason: String?, by caller: Caller?, _ parts: DaemonParts) {
    let message = caller.map { Message.askedForBy(what: result, user: DisplayText.escape($0.user)) } ?? result
    parts.ledger.record(
      Occurrence(
        .reloaded, of: .configuration, at: parts.builder.shared.clock.now(),
        message: reason.map { Message.becauseOf(what: message, why: $0) } ?? message,
        reason: reason.map { Message.otherError(why: $0) }, by: caller))
  }

  /// Puts a new configuration into effect: spools that it does not have end first, and new ones begin last.
  /// - Returns: the jobs that ask now because their destination is gone.
  private static func putIntoEffect(
    _ stages: Stages, insteadOf old: Stages, _ changes: ConfigurationChanges, _ parts: DaemonParts
  ) async throws -> [JobNumber] {
    let daemon = stages.configuration.daemon
    parts.pipeline.leaveStrays(true)
    defer { parts.pipeline.leaveStrays(false) }
    try await parts.intake.change(to: stages.spools) {
      // no spool claims during this change: a claim in a spool that goes away would find no plan
      parts.current.replace(with: stages)
      parts.ledger.setGrantors(stages.grantors)
      parts.room.configure(admitAhead: daemon.admitAhead, routes: stages.configuration.routes)
      // a copy has the paths of files, which follow from these
      if old.spools.mapValues(\.options.path) != stages.spools.mapValues(\.options.path) {
        parts.changeLog.forgetPositions()
      }
      Failpoint.reloadReplaced.pass()
      try await parts.recovery.run(
        stages.spools.filter { old.spools[$0.key]?.options.path != $0.value.options.path }
          .sorted { $0.key < $1.key }.map(\.value))
    }
    Failpoint.reloadRecovered.pass()
    parts.journal.set(daemon.journal)
    parts.history.wake()
    parts.notices.configure(stages.configuration.webhooks)
    parts.pipeline.wake()
    await parts.builder.shared.transport.limit(inFlight: parts.current.places, sendLimit: daemon.bandwidth)
    let asking = try await parts.ledger.askAboutUnconfigured { stages.isConfigured($0) }
    Failpoint.reloadAsked.pass()
    // what was wrong with a destination may be right now
    _ = try await parts.ledger.probe(changes.changed.compactMap { Destination($0) }.filter(stages.isConfigured))
    return asking
  }
}

extension Configuration {
  /// The longest wait that a job can have: for its next attempt, or for a file to settle.
  var longestWait: Duration {
    let policies = storages.values.map(\.retry) + backends.values.map(\.retry)
    return (policies.map(\.longestWait) + spools.map(\.settle)).max() ?? RetryPolicy.longestWait
  }

  var routes: [String: SpoolRoute] {
    Dictionary(
      spools.map { ($0.name, SpoolRoute(spool: $0.name, storage: $0.storage, backend: $0.backend)) },
      uniquingKeysWith: { one, _ in one })
  }
}
