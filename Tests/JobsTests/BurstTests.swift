import ChildProcesses
import Jobs
import Testing

@testable import Models

/// The start: limits that are found while thousands of files go through both steps, against the best fixed limits.
@Suite(.aside) struct BurstTests {
  private static let bursts = [0.02, 0.05, 0.2].flatMap { latency in
    [Server.Jitter.none, .uniform, .exponential].flatMap { jitter in
      [(0.002, 1.0), (0.005, 1), (0.002, 1.8)].map { commit, slowness in
        Burst(latency: latency, jitter: jitter, commit: commit, slowness: slowness)
      }
    }
  }

  /// New connections take as long as some requests.
  private static let connecting = [0.02, 0.05].flatMap { latency in
    [1.0, 3].map { Burst(latency: latency, jitter: .uniform, roundTrips: $0) }
  }

  private static func best(_ burst: Burst) -> Double {
    [64, 128, 256].map { BurstSimulation.run(burst, fixed: $0).pace }.max() ?? 0
  }

  @Test(arguments: bursts + connecting)
  func startIsNearBestFixed(_ burst: Burst) {
    let best = Self.best(burst)
    let found = BurstSimulation.run(burst)
    // With a long latency, the rounds that the start needs are a part of the whole time.
    let least = burst.latency < 0.1 ? 0.9 : 0.87
    #expect(found.pace >= least * best, "\(found) where the best fixed limit does \(best) a second")
  }

  /// Without latency a commit is all that answers wait for. Its time changes while files are admitted, and looks like a server that
  /// is at its end.
  @Test(arguments: [0.002, 0.005])
  func startIsFasterThanFirstLimit(_ commit: Double) {
    let burst = Burst(latency: 0.001, commit: commit)
    let first = BurstSimulation.run(burst, fixed: ConcurrencyLimit.start)
    let found = BurstSimulation.run(burst)
    #expect(found.pace >= 2 * first.pace, "\(found) where the first limit does \(first)")
  }

  /// A backend that works on few at once stops the start: its answers take as much longer as more are in flight. So it is after first
  /// answers that took long, as those of a server that was asleep: they are no measure for the later ones.
  @Test(arguments: [(1, 4), (1, 10), (1, 20), (4, 20), (20, 10), (20, 20)] as [(Double, Int)])
  func startStopsAtSlowBackend(_ coldness: Double, _ backends: Int) {
    let burst = Burst(jobs: 2000, latency: 0.05, backends: backends, coldness: coldness)
    let found = BurstSimulation.run(burst)
    #expect(found.highest[1] <= max(72, backends * 9), "\(found)")
    if coldness == 1 { #expect(found.pace >= 0.85 * Self.best(burst), "\(found)") }
  }

  /// Cold servers and slow connections together do not stop the start if more slots are worth it.
  @Test(arguments: [0.0, 1, 3, 5])
  func coldStartGoesOn(_ roundTrips: Double) {
    let found = BurstSimulation.run(Burst(latency: 0.05, jitter: .uniform, roundTrips: roundTrips, coldness: 4))
    #expect(found.highest.allSatisfy { $0 == ConcurrencyLimit.highest }, "\(found)")
  }
}
