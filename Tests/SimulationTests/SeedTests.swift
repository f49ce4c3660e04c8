import ChildProcesses
import Testing

/// The daemon in virtual time. `make simulate` runs other seeds.
@Suite struct SeedTests {
  /// So many take half a minute of a debug build on a machine with two processors and nothing else to do.
  private static let seeds: Range<UInt64> = 1..<41

  @Test func seedsLoseDuplicateAndLeaveNothing() async throws {
    let seeds = Seeds.many(Self.seeds)
    let first = try #require(seeds.first)
    try await run("--seed", "\(first)", "--seeds", "\(seeds.count)", "--jobs", "2")
  }

  /// Each was a defect once, or holds what no chance would meet: that one destination's trouble is no other one's.
  @Test func namedScenariosEndWell() async throws { try await run("--named", "--quick") }

  /// Cards that come and go: one of eight of the table, and a few seeds.
  @Test func cardsComeAndGo() async throws {
    let turn = Seeds.run % 8
    try await run("--named", "--cards", "--share", "8", "--turn", "\(turn)")
    try await run("--cards", "--seed", "\(1 + 4 * turn)", "--seeds", "4", "--jobs", "2")
  }

  /// A number from outside is extreme in a whole scenario: of all files, of all answers, of the ledger, or of the clock. The daemon may
  /// ask, wait or end, and never ends by a trap. One of eight in each round.
  @Test func extremeNumbersEndNoDaemon() async throws {
    let share = Seeds.takes(1, of: 6) ? ["--share", "1"] : ["--share", "8", "--turn", "\(Seeds.run % 8)"]
    try await run(["--extremes", "--jobs", "2"] + share)
  }

  /// Those that take a minute: in one round of six of a hunt, and with `WAYBILL_TEST_ALL=1`.
  @Test(.enabled(if: Seeds.takes(1, of: 6), "takes a minute: WAYBILL_TEST_ALL is not set"))
  func longScenariosEndWell() async throws {
    try await run("--named", "--long")
  }

  private func run(_ arguments: String...) async throws { try await run(arguments) }

  private func run(_ arguments: [String]) async throws {
    let simulator = try await Command.run(
      [Products.simulator] + arguments + ["--folder", "/dev/shm"], within: .seconds(1800))
    #expect(simulator.status == 0, "\(simulator.output.suffix(6000))\(simulator.errors)")
  }
}
