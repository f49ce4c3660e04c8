import ChildProcesses
import Jobs
import MessageLiterals
import Seams
import Testing

@testable import Ledger

/// No job waits for ever: something is in flight at its destination, or a time is set, or a person has been asked. And once the
/// server is well, all that is not stopped is registered.
@Suite(.slot, .aside) struct EndlessWaitTests {
  /// The longest that anything may take once the servers are well: the longest pause of a gate, and a bit.
  private static let longest = Gate.longestPause + .seconds(60)

  /// The trouble in which jobs are left at a destination before its gate closes for another reason; nil for jobs that are queued.
  private static let left: [Trouble?] = [nil, .noNetwork, .refusedKey, .lostConnection, .throttled]

  /// What happens then, to the gate, to the probe or to the job that asks.
  private enum Event: String, CaseIterable {
    case nothing, timePasses, probeFailsAgain, probeMeetsAnother, probeIsCut, probeLeaves, askerLeaves,
      askerIsConfirmed,
      waitingIsConfirmed, restart, restartWithProbe, resume, newKey, newNetwork, pauseAndResume, destinationWasAway
  }

  /// One of thirty of all combinations, for each of those in which jobs are left other ones; the others with other seeds.
  @Test(arguments: left.indices)
  func reopenedGateResumesStrandedJobs(_ place: Int) async throws {
    let left = Self.left[place]
    var world = try SmallWorld()
    for (number, trouble) in Trouble.allCases.enumerated() {
      for (other, event) in Event.allCases.enumerated()
      where Seeds.takes(number * Event.allCases.count + other + 7 * place, of: 30) {
        world.turnPage()
        world.note("\(left?.rawValue ?? "queued"), then \(trouble), then \(event)")
        try await leave(left, in: &world, isBackend: (number + other).isMultiple(of: 2))
        try await meet(trouble, in: &world)
        try await world.look()
        try await happen(event, trouble, in: &world)
        try await world.look()
        try await world.getWell(within: Self.longest)
      }
    }
  }

  /// Three jobs at a destination, all left in the same trouble; or one in flight, and two queued behind it.
  private func leave(_ left: Trouble?, in world: inout SmallWorld, isBackend: Bool) async throws {
    try await world.admit(3)
    if isBackend {
      for job in world.attempts { try await world.end(job, .uploaded(.sample)) }
      #expect(world.attempts.allSatisfy { $0.step == .register })
    }
    guard let left else { return }
    for job in world.attempts { try await world.end(job, left.result) }
  }

  /// The next attempt, in flight or at the next time that one begins, meets a trouble.
  private func meet(_ trouble: Trouble, in world: inout SmallWorld) async throws {
    for _ in 1...3 where world.attempts.isEmpty { try await world.pass(.seconds(60)) }
    guard let job = world.attempts.first else { return }
    try await world.end(job, trouble.result)
  }

  private func happen(_ event: Event, _ trouble: Trouble, in world: inout SmallWorld) async throws {
    let names = SmallWorld.lanes.destinations
    switch event {
    case .nothing: break
    case .timePasses: try await world.pass(.seconds(60))
    case .probeFailsAgain: try await meet(trouble, in: &world)
    case .probeMeetsAnother:
      for other in [Trouble.unavailable, .refusedKey, .unavailable, .noNetwork, .noBucket] {
        try await meet(other, in: &world)
        try await world.look()
      }
    case .probeIsCut:
      try await world.pass(.seconds(60))
      if let job = world.attempts.first { try await world.end(job, .cut) }
    case .probeLeaves:
      try await world.pass(.seconds(60))
      if let job = world.attempts.first { try await world.cancel(job.number.rawValue) }
    case .askerLeaves: if let asker = try await asker(world) { try await world.cancel(asker) }
    case .askerIsConfirmed: if let asker = try await asker(world) { try await world.confirm(asker) }
    case .waitingIsConfirmed:
      for job in try await world.jobs() where [.awaitingNetwork, .awaitingCredentials, .deferred].contains(job.state) {
        try await world.confirm(job.number.rawValue)
      }
    case .restart: try await world.restart()
    case .restartWithProbe:
      try await world.pass(.seconds(60))
      try await world.restart()
    case .resume: try await world.tell("resume") { _ = try await $0.probe(names) }
    case .newKey: try await world.tell("new key") { ledger in for name in names { ledger.keyChanged(name) } }
    case .newNetwork: try await world.tell("new network") { $0.networkChanged(names) }
    case .pauseAndResume:
      try await world.tell("pause") { _ = try await $0.pause(.all, by: .alice) }
      try await world.pass(.seconds(60))
      try await world.tell("resume") { _ = try await $0.resume(.all, by: .alice) }
    case .destinationWasAway:
      // A crash between the two commits of `askAboutUnconfigured`.
      try await world.tell("gates forgotten") { try await $0.writer.perform { $0.forgetGates { _ in false } } }
      try await world.restart()
    }
  }

  private func asker(_ world: SmallWorld) async throws -> Int64? {
    try await world.jobs().first { $0.state == .awaitingConfirmation }?.number.rawValue
  }

  @Test(arguments: Seeds.share(Seeds.many(1...16), of: 3)) func randomWalksNeverWaitForever(_ seed: UInt64) async throws
  {
    var world = try SmallWorld()
    var random = SplitMix64(seed: seed)
    for _ in 1...3 {
      world.turnPage()
      world.note("seed \(seed)")
      try await world.admit(4, spool: ["a", "b"].randomElement(using: &random) ?? "a")
      for _ in 1...24 {
        try await step(&world, &random)
        try await world.look()
      }
      try await world.getWell(within: Self.longest)
    }
  }

  private func step(_ world: inout SmallWorld, _ random: inout SplitMix64) async throws {
    let names = SmallWorld.lanes.destinations
    let number = Int64.random(in: max(1, world.last - 3)...world.last, using: &random)
    switch Int.random(in: 0..<19, using: &random) {
    case 0..<7:
      if let cleanup = world.cleanups.randomElement(using: &random) {
        let results: [CleanupResult] = [
          .absent, .removed, .cut, .failed(Failure(.network, "refused"), .awaitNetwork),
          .failed(Failure(.unavailable, "503", status: 503), .abort),
          .failed(Failure(.destination, "404", status: 404), .ask),
        ]
        return try await world.end(cleanup, results.randomElement(using: &random) ?? .absent)
      }
      guard let job = world.attempts.randomElement(using: &random) else { return try await world.pass(.seconds(30)) }
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try await world.end(job, .cut)
      case 1: try await world.end(job, job.step == .upload ? .uploaded(.sample) : .registered(.sample))
      default: try await world.end(job, (Trouble.allCases.randomElement(using: &random) ?? .gateway).result)
      }
    case 7..<9: try await world.pass(.seconds(Int.random(in: 1...60, using: &random)))
    case 9: try await world.cancel(number, remove: Bool.random(using: &random))
    case 10: try await world.confirm(number)
    case 11: try await world.carryOut(.retry, on: number)
    case 12: try await world.carryOut(.confirm(link: StoredLink.sample.link), on: number, link: .sample)
    case 13: try await world.tell("new key") { ledger in for name in names { ledger.keyChanged(name) } }
    case 14: try await world.tell("new network") { $0.networkChanged(names) }
    case 15: try await world.tell("resume") { _ = try await $0.probe(names) }
    case 16: try await world.restart()
    case 17: try await world.admit(1, spool: "b")
    default:
      let target: Pause.Target =
        [.all, .spool("a"), .destination(.storage("main")), .destination(.backend("main"))]
        .randomElement(using: &random) ?? .all
      let isPaused = try world.ledger.counts.isPaused(target)
      try await world.tell("\(isPaused ? "resume" : "pause") \(target)") {
        _ =
          isPaused
          ? try await $0.resume(target, by: .alice) : try await $0.pause(target, by: .alice)
      }
    }
  }
}

extension SmallWorld {
  fileprivate mutating func cancel(_ number: Int64, remove: Bool = false) async throws {
    try await carryOut(.cancel(remove: remove), on: number)
  }

  fileprivate mutating func confirm(_ number: Int64) async throws {
    try await carryOut(.confirm(), on: number)
  }
}
