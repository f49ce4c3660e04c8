import Daemon
import Glibc
import Simulation
import Synchronization

extension Life {
  /// The time until a daemon that has failed is started again, as by systemd (`RestartSec=`), in microseconds. While starts fail one after
  /// the other it doubles, so that few of them come in hours of trouble.
  private static let restart: (first: Int64, longest: Int64) = (10 * 1_000_000, 1800 * 1_000_000)

  func note(_ words: String) {
    let at = world.elapsed
    contents.withLock { contents in
      let micros = String(at % 1_000_000 + 1_000_000).dropFirst()
      contents.state.history.append("\(at / 1_000_000).\(micros) \(contents.state.life) \(words)")
      if contents.state.history.count > 40_000 { contents.state.history.removeFirst(1000) }
    }
  }

  func violate(_ words: String) -> Never {
    note("VIOLATED: \(words)")
    contents.withLock { $0.state.violations.append(words) }
    hand(over: .violated)
  }

  func lookAtEnd() {
    switch contents.withLock(\.end) {
    case nil: return
    case .stopped:
      note("the daemon has stopped")
      finish(.again)
    case .failed(let words, let status):
      note("the daemon ended with \(status): \(words)")
      let state = state
      let isDamaged = !state.books.damaged.isEmpty && !state.books.hasLostLedger
      let isForPeople = status == DaemonExit.configuration.rawValue
      if isDamaged, isForPeople || state.failedStarts > 3 {
        // They are told of the row, and take the ledger away.
        contents.withLock { ($0.state.loss, $0.state.toldAt) = (.whole, world.elapsed) }
      } else if isForPeople {
        violate("it ended with \(status), and nobody starts it again: \(words)")
      }
      let isLedgerFull = state.isDiskFull && state.scenario.fullFolder == "state"
      if !isLedgerFull, !isDamaged { violate("it ended by itself, with \(status): \(words)") }
      world.advance(to: world.elapsed + pauseAfterFailure())
      finish(.again)
    }
  }

  private func pauseAfterFailure() -> Int64 {
    contents.withLock { contents in
      let isAtStart = world.elapsed - began < Self.restart.first
      contents.state.failedStarts = isAtStart ? min(contents.state.failedStarts + 1, 10) : 1
      return min(Self.restart.first << (contents.state.failedStarts - 1), Self.restart.longest)
    }
  }

  func finish(_ end: End) -> Never {
    let state = contents.withLock(\.state)
    if end == .over { noteEnds(of: operators.jobs ?? [], state.configuration) }
    var wrong = state.books.violations(facts, sides) + [world.network.state.pace.fault].compactMap(\.self)
    let most = world.network.mostInFlight
    if let bound = state.scenario.mostInFlight, most > bound {
      wrong.append("\(most) requests were in flight at once, and there may be \(bound)")
    }
    guard wrong.isEmpty else {
      for words in wrong.dropLast() { contents.withLock { $0.state.violations.append(words) } }
      violate(wrong[wrong.count - 1])
    }
    hand(over: end)
  }

  private func noteEnds(of jobs: [WorldFacts.Job], _ plan: ConfigurationPlan) {
    for job in jobs {
      guard let spool = plan.spools.first(where: { $0.name == job.spool }) else { continue }
      reach(Reach.end(job.state, after: spool.after))
    }
  }

  func tryOutEnd() {
    _ = contents.withLock(\.state).books.violations(facts, sides)
    WorldFiles.hand(over: state(at: .again), to: handover)
    _ = try? WorldFiles.state(from: handover)
  }

  private func state(at end: End) -> WorldState {
    // A failpoint may be met within the lock.
    var state = contents.withLock(\.state)
    state.elapsed = world.elapsed
    state.operations += operations.count
    state.wallOffset = world.wallOffset
    state.network = world.network.state
    state.fileTimes = times.known
    state.passes.append(passes.withLock(\.self))
    if end == .again {
      state.network.sides.noteDeath()
      state.writer.died(&state.books, at: .microseconds(state.elapsed))
    } else {
      let pace = world.worstPace
      state.history.append(
        "pace: at most \(pace.work) pieces of work for nothing, \(pace.requests) requests about one thing")
      state.leaveResultAlone()
    }
    return state
  }

  private func hand(over end: End) -> Never {
    var left = state(at: end)
    // Whoever reads it has it.
    left.scenario.timeline = []
    WorldFiles.hand(over: left, to: handover)
    _exit(end.rawValue)
  }
}
