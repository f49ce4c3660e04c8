package import Jobs
package import Ledger
package import Linux
import Messages
package import Reports
import Spool
import Synchronization

/// Sets the problem that nothing comes into a spool any more, for spools with `expect_every`: the machine that drops files may be broken,
/// and everything looks well here.
///
/// It looks every minute, and at each commit that admits a file while a spool is silent. While this host does not take files from a spool
/// (it is lost, another host holds it, or the claiming of files is paused), that is told elsewhere, and the time begins anew afterwards.
package final class SilenceWatch: Sendable {
  private struct Contents {
    /// The spools from which no files are taken now.
    var idle: Set<String> = []
    /// The times since which files are taken again.
    var activeSince: [String: Timestamp] = [:]
  }

  /// The interval between looks.
  private static let pause = Duration.seconds(60)

  private let current: CurrentConfiguration
  private let ledger: JobLedger
  private let problems: CurrentProblems
  private let clock: Clock
  private let state = Mutex(Contents())
  private let isAnySilent = Atomic(false)
  private let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let alarm: Alarm

  package init(
    current: CurrentConfiguration, ledger: JobLedger, problems: CurrentProblems, clock: Clock, on machine: Machine
  ) throws(ThreadError) {
    self.current = current
    self.ledger = ledger
    self.problems = problems
    self.clock = clock
    alarm = try Alarm("waybill.silence", on: machine, ring: { [turn] in turn.yield() })
  }

  /// Makes ``run()`` look now: `expect_every` may have changed.
  package func lookSoon() { turn.yield() }

  /// Reads a commit: a file that came ends a silence at once.
  package func read(_ commit: Commit) {
    guard isAnySilent.load(ordering: .acquiring), commit.events.contains(where: { $0.kind == .admitted }) else {
      return
    }
    look(commit.counts)
  }

  /// Looks again and again, until the task is cancelled.
  ///
  /// - Throws: the ledger's error, and `CancellationError`.
  package func run() async throws {
    turn.yield()
    for await _ in turns {
      let expected = current.now.stages.parts.filter { $0.value.options.expectEvery != nil }.keys.sorted()
      let unknown = expected.filter { ledger.counts.arrivals[$0] == nil }
      if !unknown.isEmpty { try await ledger.expectFiles(in: unknown) }
      look()
      alarm.set(expected.isEmpty ? nil : (clock.steady() + Self.pause).microseconds)
    }
    try Task.checkCancellation()
  }

  /// Sets or clears the problem of each spool, by what the ledger has now.
  package func look() { look(ledger.counts) }

  private func look(_ counts: LedgerCounts) {
    let now = clock.now()
    let isPaused = counts.pauses.contains { $0.target == .intake || $0.target == .recovered }
    var (watched, silent): (Set<String>, Set<String>) = ([], [])
    for (name, part) in current.now.stages.parts {
      guard let every = part.options.expectEvery else { continue }
      watched.insert(name)
      let directory = part.directory
      let isTaking = !isPaused && directory.status.isPresent && directory.isHeld
      let since = note(name, isTaking: isTaking, now: now)
      let key = CurrentProblems.Key(area: .silence, subject: name)
      guard isTaking, let arrival = counts.arrivals[name],
        let time = Silence.standing(now: now, last: arrival.at, activeSince: since, every: every)
      else {
        problems.clear(key)
        continue
      }
      silent.insert(name)
      let (shown, count) = (Silence.rounded(time), directory.status.untaken)
      problems.set(
        key,
        count == 0
          ? .nothingHasCome(spool: name, time: shown, every: every)
          : .nothingWasTaken(spool: name, time: shown, count: count, every: every),
        remedy: .seeTheSender)
    }
    problems.keep(.silence, only: watched)
    isAnySilent.store(!silent.isEmpty, ordering: .releasing)
  }

  /// Notes whether files are taken from a spool; returns the time since which they are again, nil if they always were.
  private func note(_ spool: String, isTaking: Bool, now: Timestamp) -> Timestamp? {
    state.withLock { state in
      if !isTaking {
        state.idle.insert(spool)
      } else if state.idle.remove(spool) != nil {
        state.activeSince[spool] = now
      }
      return state.activeSince[spool]
    }
  }
}
