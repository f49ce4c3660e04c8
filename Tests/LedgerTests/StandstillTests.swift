import ChildProcesses
import Jobs
import MessageLiterals
import SQLite
import Testing

@testable import Ledger

/// The predicates on the counts, the statements that choose the next job, and the reason that people are told: in each state, behind
/// each gate and pause, with each kind of slots, they agree on whether a job begins.
@Suite(.aside) struct StandstillTests {
  private static let destinations: [Destination] = [.backend("main"), .storage("main")]

  fileprivate enum Kind: String, CaseIterable {
    case fresh, large, wasCut, registering, due, deferred, asking, noKey, noNetwork, largeWithoutNetwork, inFlight
    case cleanupDue, cleanupLater, cleanupInFlight
  }

  fileprivate enum Hold: String, CaseIterable {
    case none, all, recovered, spool, late, destination, otherSpool
  }

  fileprivate enum Door: String, CaseIterable {
    case none, run, closed, closedUntilNow, asking, askingUntilNow, halfOpen, chosen, otherChosen, probing
  }

  fileprivate enum Other: String, CaseIterable { case none, inFlight, largeInFlight, asking, queuedAtLargest }

  private static let lanes: [Lanes] = [
    Lanes(concurrency: 100, destinations: destinations), Lanes(concurrency: 1, destinations: destinations),
    Lanes(concurrency: 3, destinations: destinations),
    Lanes(limits: [1, 1], most: 100, destinations: destinations),
  ]

  /// The result of a change, all of which is undone.
  fileprivate struct Found: Error {
    var standstill: Standstill?
    var isWoken = false
    var hasBegun = false
    /// Something else has begun, at the one gate or in the one slot.
    var hasAnotherBegun = false
    var hasMoved = false
    var hasBegunCleanup = false
    var hasChanged = false
    var before: JobState?
  }

  /// One of three of all, so chosen that whatever is the case of any four of the five meets something of the fifth.
  /// - Parameter isGranted: true if the backend grants the uploads to the storage, and the gate and the pause are the backend's.
  @Test(arguments: [false, true]) func countsStatementsAndReasonAgree(isGranted: Bool) async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    var (count, faults) = (0, [String]())
    for (first, kind) in Kind.allCases.enumerated() {
      for (second, door) in Door.allCases.enumerated() {
        for (third, hold) in Hold.allCases.enumerated() {
          for (fourth, other) in Other.allCases.enumerated() {
            for (fifth, lanes) in Self.lanes.enumerated()
            where Seeds.takes(first + second + third + fourth + fifth, of: 3) {
              count += 1
              let found = try await Self.look(ledger, box, kind, door, hold, other, lanes, isGranted)
              faults += Self.faults(found).map {
                "\($0): \(kind), \(door), \(hold), \(other), \(lanes.all.slots) slots: \(found)"
              }
            }
          }
        }
      }
    }
    #expect(count > 2500)
    #expect(faults.isEmpty, "\(faults.count) faults: \(faults.prefix(5).joined(separator: "\n"))")
  }

  private static func faults(_ found: Found) -> [String] {
    let isReady = found.standstill == .ready
    let isCleanupReady = found.standstill == .cleanup(.ready)
    let rules: [(isBroken: Bool, words: String)] = [
      ((isReady || isCleanupReady) && !found.isWoken, "it is ready, and the pipeline is not woken"),
      (isReady && !found.hasMoved && !found.hasAnotherBegun, "it is ready, and the statements do not find it"),
      (
        isCleanupReady && !found.hasBegunCleanup && !found.hasAnotherBegun,
        "its cleanup is ready, and the statements do not find it"
      ),
      (!isReady && found.hasBegun, "it begins, and the reason says that it does not"),
      (!isCleanupReady && found.hasBegunCleanup, "its cleanup begins, and the reason says that it does not"),
      // A job that comes due is queued, whatever holds it then.
      (!isReady && found.hasMoved && found.before != .deferred, "it moves, and the reason says that it does not"),
      (found.isWoken && !found.hasChanged, "the pipeline is woken for nothing, again and again"),
    ]
    return rules.filter(\.isBroken).map(\.words)
  }

  private static func look(
    _ ledger: JobLedger, _ box: LedgerBox, _ kind: Kind, _ door: Door, _ hold: Hold, _ other: Other, _ lanes: Lanes,
    _ isGranted: Bool
  ) async throws -> Found {
    let time = box.time.now
    do {
      try await ledger.writer.perform { batch in
        let job = try batch.make(kind)
        let second = try batch.make(other, at: job.destination)
        batch.memory.position.counts.grantors = isGranted ? [.storage("main"): .backend("main")] : [:]
        let place = isGranted ? .backend("main") : job.destination
        try batch.close(door, at: place, job.number, second, now: time)
        for target in hold.targets(place) { _ = try batch.pause(target, by: .alice) }
        throw try batch.find(job.number, lanes, now: time)
      }
    } catch let found as Found {
      return found
    }
    return Found()
  }
}

extension StandstillTests.Hold {
  fileprivate func targets(_ destination: Destination) -> [Pause.Target] {
    switch self {
    case .none: []
    case .all: [.all]
    case .recovered: [.recovered]
    case .spool: [.spool("documents")]
    case .late: [.late("documents")]
    case .destination: [.destination(destination)]
    case .otherSpool: [.spool("other"), .late("other")]
    }
  }
}

extension LedgerBatch {
  fileprivate mutating func find(_ number: JobNumber, _ lanes: Lanes, now: Timestamp) throws -> StandstillTests.Found {
    let place = PipelineState(lanes: lanes, isConfigured: { _ in true }, isStopping: false)
    try write()
    cleanupsDidChange()
    try close()
    let counts = memory.position.counts
    var found = StandstillTests.Found()
    let before = try #require(try job(number))
    found.before = before.state
    found.standstill = try StandstillFacts(counts: counts, place: place, isFull: false, steady: now)
      .standstill(of: before, { try self.job($0) }, { try self.cleanup(of: $0) })
    let times = [counts.nextTime, counts.nextCleanup(in: lanes)].compactMap(\.self)
    found.isWoken = counts.canStart(in: lanes) || times.contains { $0 <= now }
    let trace = self.trace
    let begun = try beginDue(upTo: 100, in: lanes)
    found.hasBegun = begun.contains { $0.number == number }
    found.hasAnotherBegun = begun.contains { $0.number != number }
    let after = try #require(try job(number))
    found.hasMoved = after.state != before.state
    found.hasBegunCleanup = try beginDueCleanups(upTo: 100, in: lanes).contains { $0.job == number }
    found.hasChanged = self.trace != trace && (memory.position.counts != counts || found.hasMoved)
    return found
  }

  fileprivate mutating func make(_ kind: StandstillTests.Kind) throws -> Job {
    let number = try admitted(size: kind == .large || kind == .largeWithoutNetwork ? Job.leastLarge : 3)
    switch kind {
    case .fresh, .large: break
    case .inFlight: try begin(number)
    case .wasCut: try end(number, .cut)
    case .registering: try end(number, .uploaded(.sample))
    case .due: try end(number, .failed(Failure(.transient, "lost"), .retry(after: .zero)))
    case .deferred: try end(number, .failed(Failure(.transient, "lost"), .retry(after: .seconds(60))))
    case .asking: try end(number, .failed(Failure(.rejected, "422", status: 422), .ask))
    case .noKey: try end(number, .failed(Failure(.credentials, "401", status: 401), .awaitCredentials))
    case .noNetwork, .largeWithoutNetwork: try end(number, .failed(Failure(.network, "refused"), .awaitNetwork))
    case .cleanupDue, .cleanupLater, .cleanupInFlight:
      try begin(number)
      try take(.command(.cancel(remove: true), by: .recovery), number)
      try take(.command(.retry, by: .recovery), number)
      if kind != .cleanupDue {
        try close()
        let begun = try beginDueCleanups(upTo: 1, in: both)
        let owed = try #require(begun.first)
        if kind == .cleanupLater {
          try finish(owed, .failed(Failure(.transient, "lost"), .retry(after: .seconds(1))), landing: .zero)
        }
      }
    }
    memory.position.counts.gates = [:]
    return try #require(try job(number))
  }

  fileprivate mutating func make(_ other: StandstillTests.Other, at destination: Destination) throws -> JobNumber {
    if other == .none { return JobNumber(rawValue: 999) }
    let number = try admitted(size: other == .inFlight || other == .asking ? 3 : Job.leastLarge)
    if destination.kind == .backend { try end(number, .uploaded(.sample)) }
    switch other {
    case .none, .queuedAtLargest: break
    case .inFlight, .largeInFlight: try begin(number)
    case .asking: try end(number, .failed(Failure(.rejected, "422", status: 422), .ask))
    }
    memory.position.counts.gates = [:]
    return number
  }

  fileprivate mutating func close(
    _ door: StandstillTests.Door, at destination: Destination, _ job: JobNumber, _ other: JobNumber, now: Timestamp
  ) throws {
    let closure = Gate.Closure(reason: .gateway, since: now)
    let state: Gate.State? =
      switch door {
      case .none: nil
      case .run: .open(Gate.Run(memory: 3))
      case .closed: .closed(closure, until: now + .seconds(30))
      case .closedUntilNow: .closed(closure, until: now)
      case .asking: .asking(Gate.Closure(reason: .question, since: now), other, until: now + .seconds(30))
      case .askingUntilNow: .asking(Gate.Closure(reason: .question, since: now), other, until: now)
      case .halfOpen: .halfOpen(closure, probe: nil)
      case .chosen: .halfOpen(closure, probe: job)
      case .otherChosen: .halfOpen(closure, probe: other)
      case .probing: .probing(closure, other)
      }
    memory.position.counts.gates[destination] = state.map { Gate($0) }
    memory.position.changedGates.insert(destination)
  }

  private mutating func admitted(size: Int64) throws -> JobNumber {
    try admit([.sample("a", size: size)])
    return JobNumber(rawValue: memory.position.lastNumber)
  }

  private mutating func begin(_ number: JobNumber) throws { try take(.begin, number) }

  private mutating func end(_ number: JobNumber, _ result: AttemptResult) throws {
    try begin(number)
    let begun = try #require(try job(number))
    try take(.finished(attempt: begun.attempt, result), number)
  }

  private mutating func take(_ input: JobInput, _ number: JobNumber) throws {
    let before = try #require(try job(number))
    let after = try apply(input, to: before)
    _ = try #require(after)
  }
}
