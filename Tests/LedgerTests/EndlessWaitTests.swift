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

  @Test(arguments: Seeds.share(Seeds.many(1...24), of: 3)) func randomWalksNeverWaitForever(_ seed: UInt64) async throws
  {
    var world = try SmallWorld(isGranted: seed.isMultiple(of: 2))
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
    switch Int.random(in: 0..<20, using: &random) {
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
      default:
        let trouble = Trouble.allCases.randomElement(using: &random) ?? .gateway
        let isOfGrant = world.isGranted && job.step == .upload && Bool.random(using: &random)
        try await world.end(job, isOfGrant ? trouble.ofGrant : trouble.result)
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
    case 18:
      // A crash between the two commits of `askAboutUnconfigured`.
      try await world.tell("gates forgotten") { try await $0.writer.perform { $0.forgetGates { _ in false } } }
      try await world.restart()
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
