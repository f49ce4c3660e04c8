package import Jobs
package import Ledger
package import Linux
import Messages
package import Reports
import Spool
import Synchronization

/// For spools with `expect_every`, sets the problem that no files come any more: the machine that drops them may be broken, while
/// everything looks well here.
///
/// It looks every minute, and at each commit that admits a file while a spool is silent. While this host takes no files from a spool
/// (it is missing or not scanned yet, the intake is paused, or there is no room for jobs), Waybill reports that instead and restarts
/// the time. The end of a pause survives a restart in the ledger.
package final class SilenceWatch: Sendable {
  private struct Contents {
    /// The spools from which no files are taken now.
    var idle: Set<String> = []
    /// The times since which files are taken again, on the steady clock.
    var activeSince: [String: Timestamp] = [:]
    /// The last times from the ledger with their times on the steady clock, so that setting the clock changes no age.
    private var seen: [String: [Timestamp: Timestamp]] = [:]

    /// Returns times of the ledger on the steady clock. A time ahead of now, from before the clock was set back, counts as now.
    mutating func steady(_ times: [Timestamp], of spool: String, clock: Clock) -> [Timestamp] {
      let known = seen[spool] ?? [:]
      let steady = times.map { known[$0] ?? clock.steady() + (.zero - max(.zero, clock.now() - $0)) }
      seen[spool] = Dictionary(zip(times, steady), uniquingKeysWith: { $1 })
      return steady
    }

    /// Records if files are taken from a spool; returns the time since which they are taken again, nil if they always were.
    mutating func note(_ spool: String, isTaking: Bool, now: Timestamp) -> Timestamp? {
      if !isTaking {
        idle.insert(spool)
      } else if idle.remove(spool) != nil {
        activeSince[spool] = now
      }
      return activeSince[spool]
    }
  }

  private static let pause = Duration.seconds(60)

  private let current: CurrentConfiguration
  private let ledger: JobLedger
  private let room: IntakeRoom
  private let problems: CurrentProblems
  private let clock: Clock
  private let state = Mutex(Contents())
  private let isAnySilent = Atomic(false)
  private let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let alarm: Alarm

  package init(
    current: CurrentConfiguration, ledger: JobLedger, room: IntakeRoom, problems: CurrentProblems, clock: Clock,
    on machine: Machine
  ) throws(ThreadError) {
    self.current = current
    self.ledger = ledger
    self.room = room
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
    look()
  }

  /// Looks again and again, until the task is cancelled.
  ///
  /// - Throws: the ledger's error, and `CancellationError`.
  package func run() async throws {
    turn.yield()
    for await _ in turns {
      let expected = current.now.parts.filter { $0.value.options.expectEvery != nil }.keys.sorted()
      let unknown = expected.filter { ledger.counts.arrivals[$0] == nil }
      if !unknown.isEmpty { try await ledger.expectFiles(in: unknown) }
      look()
      alarm.set(expected.isEmpty ? nil : (clock.steady() + Self.pause).microseconds)
    }
    try Task.checkCancellation()
  }

  /// Sets or clears the problem of each spool, by what the ledger has now.
  ///
  /// Looks run one after another, each with the ledger's present counts: an older look must not report silence again.
  package func look() { state.withLock { look(ledger.counts, &$0) } }

  private func look(_ counts: LedgerCounts, _ state: inout Contents) {
    let now = clock.steady()
    let isPaused = counts.pauses.contains { $0.target == .intake || $0.target == .recovered }
    var (watched, silent): (Set<String>, Set<String>) = ([], [])
    for (name, part) in current.now.parts {
      guard let every = part.options.expectEvery else { continue }
      watched.insert(name)
      let obstacles = room.obstacles(of: name)
      let isShut = obstacles.ledgerFails || obstacles.shortage != nil || obstacles.isFull
      let status = part.directory.status
      let isTaking = !isPaused && !isShut && status.isPresent
      let since = state.note(name, isTaking: isTaking, now: now)
      let key = CurrentProblems.Key(area: .silence, subject: name)
      // Files that came while this host was off are found by the first scan.
      let times = counts.arrivals[name].map { arrival in
        state.steady([arrival.at] + [arrival.resumedAt].compactMap(\.self), of: name, clock: clock)
      }
      guard isTaking, status.lastScan != nil, let times,
        let time = Silence.standing(
          now: now, last: times[0], activeSince: ([since].compactMap(\.self) + times.dropFirst()).max(), every: every)
      else {
        problems.clear(key)
        continue
      }
      silent.insert(name)
      let (shown, count) = (Silence.rounded(time), status.untaken)
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
}

/// The rule by which a spool is silent: nothing has come for longer than it is expected.
package enum Silence {
  /// Returns the time for which nothing has come, if that is too long; otherwise nil.
  ///
  /// - Parameters:
  ///   - last: the last arrival, or the beginning of the wait for the first one. A time ahead of now, from before the clock was set back,
  ///     counts as now.
  ///   - activeSince: the time since which this host takes files from the spool again; nil if it always did.
  ///   - every: the time within which a file is expected.
  package static func standing(
    now: Timestamp, last: Timestamp, activeSince: Timestamp?, every: Duration
  ) -> Duration? {
    let last = min(last, now)
    let begin = max(last, min(activeSince ?? last, now))
    return now - begin > every ? now - last : nil
  }

  /// The time in units that do not change with each look: minutes, and hours from a day on.
  package static func rounded(_ time: Duration) -> Duration {
    let unit: Int64 = time >= .seconds(86_400) ? 3600 : 60
    return .seconds(time.wholeSeconds / unit * unit)
  }
}
