import ChildProcesses
import Foundation
import Simulation
import Testing

/// The daemon dies at each of its failpoints, in each scenario of the table that reaches it, and goes on. Whatever the point: no file
/// is lost, none is registered twice, none goes before its receipt, everything comes to its end, and nothing is left behind. One place
/// of eight is tried, other ones with other seeds; with `WAYBILL_TEST_ALL=1` all.
@Suite(.slot)
struct CrashTableTests {
  /// A process warms up once, which takes as long as some rows. So each has a quarter of them.
  @Test(arguments: 0..<4)
  func crashAnywhereLosesNothing(quarter: Int) async throws {
    let rows = CrashRow.all.indices.filter { $0 % 4 == quarter }.flatMap { ["--rows", CrashRow.all[$0].name] }
    let simulator = try await Command.run(
      [Products.simulator, "--passes", "1"] + rows + Self.share + Self.folders, within: .seconds(900))
    #expect(simulator.status == 0, "\(simulator.output.suffix(6000))\(simulator.errors)")
  }

  /// The undisturbed rows say what they reach; a failpoint that is new needs a row.
  @Test func rowsReachEachFailpoint() async throws {
    let simulator = try await Command.run(
      [Products.simulator, "--rows", "all", "--passes", "0"] + Self.folders, within: .seconds(900))
    #expect(simulator.status == 0, "\(simulator.output.suffix(6000))\(simulator.errors)")
  }

  @Test func rowNamesAreUnique() {
    #expect(Set(CrashRow.all.map(\.name)).count == CrashRow.all.count)
    for row in CrashRow.all { #expect(CrashRow.named(row.name)?.scenario == row.scenario) }
  }

  private static let share =
    ProcessInfo.processInfo.environment["WAYBILL_TEST_ALL"] == nil
    ? ["--share", "8", "--turn", "\(Seeds.run % 8)"] : []
  private static let folders = ["--folder", "/dev/shm", "--elsewhere", FileManager.default.temporaryDirectory.path]
}
