import ChildProcesses
import Testing

@testable import Spool

/// Readiness against all that may happen, in every order: see ``WriterModel``.
@Suite(.aside) struct AllInterleavingsTests {
  struct Outcome {
    var states = 0
    var claims = 0
    /// How it came that a promise was broken, that a file was never claimed, and that it waited without a reason; empty if it
    /// did not.
    var broken: [String] = []
    var stuck: [String] = []
    var late: [String] = []
  }

  /// Goes through every state that can be reached, each once, the nearest first.
  private static func explore(_ setting: WriterModel.Setting) -> Outcome {
    struct Visit {
      let state: WriterModel
      let from: Int
      let step: String
    }
    var outcome = Outcome()
    var visits = [Visit(state: WriterModel(setting), from: -1, step: "start")]
    var seen: Set<Fingerprint> = [visits[0].state.fingerprint]
    // By the state in which all have closed the file: many lead to the same.
    var ticksToClaim: [Fingerprint: Int?] = [:]
    func path(_ index: Int) -> [String] {
      var steps: [String] = []
      var at = index
      while at >= 0 {
        steps.append(visits[at].step)
        at = visits[at].from
      }
      return steps.reversed()
    }
    var next = 0
    while next < visits.count {
      let state = visits[next].state
      outcome.states += 1
      if let claim = state.claim {
        outcome.claims += 1
        if claim.breaksPromise, outcome.broken.isEmpty { outcome.broken = path(next) }
      } else if state.exists, outcome.stuck.isEmpty || outcome.late.isEmpty {
        let closed = state.closed()
        let known = closed.closedFingerprint
        let ticks = ticksToClaim[known] ?? closed.ticksToClaim()
        ticksToClaim[known] = .some(ticks)
        if let ticks {
          if state.isLate(ticks), outcome.late.isEmpty { outcome.late = path(next) }
        } else if outcome.stuck.isEmpty {
          outcome.stuck = path(next)
        }
      }
      for (step, following) in state.successors() where seen.insert(following.fingerprint).inserted {
        visits.append(Visit(state: following, from: next, step: step))
      }
      next += 1
    }
    return outcome
  }

  static let worlds: [(String, WriterModel.Setting)] = [
    ("a writer and a reader", .init(opens: 2, reads: 1)),
    ("a writer and a reader, old kernel", .init(opens: 2, reads: 1, writeIsToldFirst: true)),
    ("two writers", .init(writers: 2, writes: 1)),
    ("truncation by path, and a reader", .init(reads: 1, truncations: 1)),
    ("lost hints", .init(reads: 1, losses: 1, scans: 2)),
    ("lost hints, two writers", .init(writers: 2, losses: 1, scans: 0, queue: 2)),
    ("a reload", .init(reads: 1, reloads: 1, queue: 2)),
    ("a late watch", .init(writers: 2, writes: 1, isLate: true)),
    ("renamed while open", .init(reads: 1, lastName: 2, queue: 4)),
    ("renamed from a name that is ignored", .init(reads: 1, firstName: 0, queue: 4)),
    ("renamed while open, and rests", .init(reads: 1, lastName: 2, rests: true, queue: 2)),
    ("renamed from a name that is ignored, and rests", .init(reads: 1, firstName: 0, rests: true, queue: 2)),
    ("linked to another name", .init(lastName: 2, isLinked: true, queue: 4)),
    ("renamed, rests, and a reload", .init(reloads: 1, firstName: 0, rests: true, queue: 2)),
  ]

  /// Where a lease tells, what was heard decides little; so not all worlds are gone through once more. A lease tells of every file, or of
  /// those of the daemon's own user alone, and this is one or is not.
  static let leasedWorlds: [(String, WriterModel.Setting)] =
    leased("a lease", .all) + leased("a lease of one's own file", .ofUser(0)) + [
      ("a lease, but the file cannot be read, two writers", .init(writers: 2, leased: .all, isUnreadable: true)),
      (
        "a lease, but the file cannot be read, opened again",
        .init(opens: 2, reads: 1, truncations: 1, leased: .all, isUnreadable: true)
      ),
      ("a lease, but the file cannot be read, renamed", .init(lastName: 2, leased: .all, isUnreadable: true, queue: 4)),
      ("a lease, but the file cannot be read, lost hints", .init(losses: 1, leased: .all, isUnreadable: true)),
      ("a lease, linked to another name", .init(opens: 2, lastName: 2, leased: .all, isLinked: true, queue: 4)),
      ("a lease, linked from a name that is ignored", .init(firstName: 0, leased: .all, isLinked: true, queue: 4)),
      ("a lease of one's own file, linked", .init(reads: 1, lastName: 2, leased: .ofUser(0), isLinked: true, queue: 4)),
      ("another's file, a writer and a reader", .init(opens: 2, reads: 1, leased: .ofUser(1))),
      ("another's file, renamed while open", .init(reads: 1, lastName: 2, leased: .ofUser(1), queue: 4)),
    ]

  private static func leased(_ name: String, _ leased: Candidates.Leased) -> [(String, WriterModel.Setting)] {
    [
      (name + ", a writer and a reader", .init(reads: 1, leased: leased)),
      (name + ", lost hints", .init(reads: 1, losses: 1, leased: leased)),
      (name + ", a late watch", .init(writers: 2, writes: 1, leased: leased, isLate: true)),
      (name + ", renamed while open", .init(reads: 1, lastName: 2, leased: leased, queue: 2)),
      (name + ", renamed while open, and rests", .init(reads: 1, lastName: 2, leased: leased, rests: true, queue: 2)),
    ]
  }

  /// Every sixth world: all would be most of the suite's time. The others with other seeds, all with `WAYBILL_TEST_ALL=1`.
  private static let taken = (worlds + leasedWorlds).enumerated().filter { Seeds.takes($0.offset, of: 6) }.map(
    \.element)

  @Test(arguments: taken)
  func claimsEveryFileButNeverEarly(name: String, world: WriterModel.Setting) {
    let outcome = Self.explore(world)
    #expect(outcome.broken == [], "\(name): taken too early")
    #expect(outcome.stuck == [], "\(name): never taken")
    #expect(outcome.late == [], "\(name): taken late, though nothing spoke for a writer")
    #expect(outcome.claims > 0, "\(name): \(outcome.states) states")
  }
}
