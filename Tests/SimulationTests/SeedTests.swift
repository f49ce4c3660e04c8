import ChildProcesses
import Testing

/// The daemon in virtual time, with the trouble of fixed seeds. `make simulate` runs others.
@Suite struct SeedTests {
  @Test func noSeedLosesDoublesOrLeavesAnything() async throws {
    let simulator = try await Command.run(
      [Products.simulator, "--seed", "1", "--seeds", "40", "--folder", "/dev/shm"], within: .seconds(900))
    #expect(simulator.status == 0, "\(simulator.output.suffix(6000))\(simulator.errors)")
  }
}
