import ChildProcesses
import Jobs
import Testing

@testable import Models

/// The limit that is found, against the best fixed one, over servers of many kinds.
@Suite(.aside) struct ServerTests {
  private static let latencies = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5]

  private static let steady = latencies.flatMap { latency in
    [Server.Jitter.none, .uniform, .exponential].flatMap { jitter in
      [1500.0, 600].map { Server(latency: latency, jitter: jitter, local: $0, time: latency < 0.1 ? 60 : 240) }
    }
  }

  private static let withServers = [0.005, 0.05, 0.5].flatMap { latency in
    [4, 10, 40, 150].flatMap { servers in
      [Server.Jitter.none, .exponential].map {
        Server(latency: latency, jitter: $0, servers: servers, local: 1500, time: latency < 0.1 ? 60 : 240)
      }
    }
  }

  private static let refusing = [(0.05, [6, 10, 13]), (0.5, [6, 10, 13, 24, 40, 70, 100, 180])].flatMap {
    latency, most in
    most.map { Server(latency: latency, jitter: .uniform, local: 300, refusal: .above($0), time: 1800) }
  }

  private static let throttling = [0.05, 0.5].flatMap { latency in
    [20.0, 100, 200].flatMap { pace in
      [2.0, 30].map {
        Server(latency: latency, jitter: .uniform, local: 300, refusal: .faster(than: pace), pause: $0, time: 3600)
      }
    }
  }

  private static let failing = [0.05, 0.5].flatMap { latency in
    [10.0, 60].map {
      Server(latency: latency, jitter: .uniform, local: 300, refusal: .outage(from: 200, to: 200 + $0), time: 1200)
    }
  }

  private static let erring = [0.01, 0.02, 0.05, 0.1].flatMap { share in
    [0.005, 0.05, 0.2, 0.5].flatMap { latency in
      [Server.Jitter.none, .exponential].map {
        Server(latency: latency, jitter: $0, local: 1500, failing: .share(share), time: latency < 0.1 ? 30 : 200)
      }
    }
  }

  /// All in flight share a few processors there, as a web server's threads do; some requests fail whatever is in flight.
  private static let sharing = [0, 0.01, 0.02, 0.05, 0.1].flatMap { share in
    [(0.005, 0.01, 4), (0.05, 0.02, 8), (0.2, 0.05, 20), (0.05, 0.2, 40)].map { latency, work, processors in
      Server(
        latency: latency, jitter: .uniform, work: work, processors: processors, local: 1500,
        failing: share == 0 ? .never : .share(share), time: 100)
    }
  }

  /// Some requests time out, and hold their slots for much longer than all others.
  private static let silent = [0.01, 0.02, 0.05, 0.1].flatMap { share in
    [(0.05, 10.0), (0.2, 30), (0.5, 30)].map { latency, after in
      Server(latency: latency, jitter: .uniform, local: 600, failing: .silent(share, after: after), time: 1200)
    }
  }

  private static let erringAndRefusing = [0.01, 0.02, 0.05].flatMap { share in
    [10, 40, 100].map {
      Server(
        latency: 0.2, jitter: .uniform, local: 300, refusal: .above($0), failing: .share(share), time: 1800)
    }
  }

  private static let large = [(30.0, 6), (30, 20), (60, 10), (10, 40)].map { latency, most in
    Server(latency: latency, jitter: .uniform, isLarge: true, local: 300, refusal: .above(most), time: 7200)
  }

  private static let fixed = [
    1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 16, 20, 24, 30, 40, 50, 70, 80, 100, 120, 150, 180, 200, 256,
  ]

  private static func best(_ side: Server) -> Double {
    fixed.map { ServerSimulation.run(side, fixed: $0, time: time(of: side, $0)).pace }.max() ?? 0
  }

  private static let small: [Server] = steady + withServers + refusing + throttling + failing + erring
  private static let others: [Server] = sharing + silent + erringAndRefusing + large

  @Test(arguments: Seeds.share(small.map { ($0, 0.85) } + others.map { ($0, 0.8) }, of: 15))
  func limitIsNearOptimal(_ side: Server, _ share: Double) {
    let best = Self.best(side)
    let found = ServerSimulation.run(side)
    #expect(found.pace >= share * best, "\(found) where the best fixed limit does \(best) a second")
  }

  /// The time for which a fixed limit is simulated: as much as shows what it does. A server that refuses by pace may refuse
  /// the right limit too, but seldom.
  private static func time(of side: Server, _ fixed: Int) -> Double {
    if case .silent = side.failing { return side.time }
    if side.processors > 0 { return 60 }
    switch side.refusal {
    case .never:
      // As many answers as make the pace no matter of chance.
      let pace = min(side.local, Double(min(fixed, side.servers)) / side.latency)
      return min(side.time, max(5 * side.latency, 3000 / pace))
    case .above: return side.isLarge ? side.time : 100
    case .faster(let pace): return pace < 100 ? side.time : 600
    case .outage: return side.time
    }
  }

  /// Nothing refuses, and the machine or the server bounds the pace: what is in flight beyond that would only be lost in an
  /// outage.
  @Test(arguments: [
    (Server(latency: 0.005, local: 600), 3), (Server(latency: 0.05, local: 600), 30),
    (Server(latency: 0.05, servers: 10, local: 2000), 10), (Server(latency: 0.5, servers: 40, local: 2000), 40),
  ])
  func limitIsNoHigherThanNeeded(_ side: Server, _ needed: Int) {
    let found = ServerSimulation.run(side)
    #expect(found.limit <= max(ConcurrencyLimit.leastByPace + 1, needed * 3 / 2), "\(found)")
    #expect(found.lateMost <= max(48, needed * 5 / 2), "\(found)")
    // The start sees what it did one round later.
    #expect(found.most <= max(72, needed * 11 / 2), "\(found)")
  }

  @Test(arguments: [10, 40, 100])
  func refusalsStayRare(_ most: Int) {
    let side = Server(latency: 0.5, jitter: .uniform, local: 300, refusal: .above(most), pause: 30, time: 3600)
    let found = ServerSimulation.run(side)
    #expect(found.refusals <= 60, "\(found)")
    #expect(found.limit <= most, "\(found)")
  }

  /// At one failure in five the gate closes by chance now and then, which is a refusal each time. But the limit comes back.
  /// A pace over so short a time is a matter of luck too, so the seeds are always these.
  @Test(arguments: Seeds.share([0.05, 0.2, 0.5], of: 3), 1...2)
  func frequentFailuresDoNotCollapseLimit(_ latency: Double, _ seed: UInt64) {
    let side = Server(latency: latency, jitter: .exponential, local: 600, failing: .share(0.2), time: 300)
    let found = ServerSimulation.run(side, seed: seed)
    #expect(found.lowest >= 12, "\(found)")
    #expect(found.pace >= 0.6 * Self.best(side), "\(found)")
  }

  @Test(arguments: [0.05, 0.5], [10.0, 60])
  func errorOutageCausesNoSlowdown(_ latency: Double, _ out: Double) {
    let outage = Server.Failing.outage(from: 200, to: 200 + out)
    let side = Server(latency: latency, jitter: .uniform, local: 300, failing: outage, time: 1200)
    let found = ServerSimulation.run(side)
    // The last probe that fails closes the gate for 30 s more.
    let share: Double = (1200 - out - 30) / 1200
    #expect(found.pace >= 255 * share, "\(found)")
  }

  /// A server that fails because too much is in flight: how, at which latency, the highest limit that is right for it, and
  /// the pace that it allows.
  private static let overloads: [(failing: Server.Failing, latency: Double, most: Int, pace: Double)] = [
    (.above(4), 0.05, 4, 80),
    (.above(10), 0.05, 10, 200),
    (.above(10), 0.5, 10, 20),
    (.above(100), 0.5, 100, 200),
    (.rising(from: 4), 0.05, 6, 80),
    (.rising(from: 10), 0.05, 15, 200),
    (.rising(from: 10), 0.5, 15, 20),
    (.rising(from: 100), 0.5, 140, 200),
    // For the first 100 of 600 s these do the 600 a second that this machine can.
    (.slow(from: 100, servers: 10, after: 1), 0.2, 15, 141),
    (.slow(from: 100, servers: 40, after: 2), 0.2, 100, 266),
  ]

  @Test(arguments: overloads.indices)
  func overloadFailuresLowerLimit(_ index: Int) {
    let (failing, latency, most, pace) = Self.overloads[index]
    let side = Server(latency: latency, jitter: .uniform, servers: 256, local: 600, failing: failing, time: 600)
    let found = ServerSimulation.run(side)
    #expect(found.limit <= most && found.pace >= 0.65 * pace, "\(side): \(found)")
  }
}
