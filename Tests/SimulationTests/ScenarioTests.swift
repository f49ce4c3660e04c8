import ChildProcesses
import Foundation
import Simulation
import Testing

@Suite(.aside) struct ScenarioTests {
  private static let seeds: Range<UInt64> = 0..<300

  @Test func seedYieldsSameScenario() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    for seed in Self.seeds.prefix(50) {
      let scenario = Scenario(seed: seed)
      #expect(scenario == Scenario(seed: seed))
      let bytes = try encoder.encode(scenario)
      #expect(try JSONDecoder().decode(Scenario.self, from: bytes) == scenario)
    }
    #expect(Scenario(seed: 1) != Scenario(seed: 2))
  }

  @Test func someSeedsHaveTroubleOfDisks() {
    let all = (1...100).map { Scenario(seed: $0) }
    let full = all.filter { $0.fullFolder == "spools" }
    #expect(full.count == 13 && full.allSatisfy { $0.repairs.first == .fillDisk(false) })
    #expect(all.count { $0.timeline.contains { $0.action == .loseLedger(.value) } } == 6)
    for scenario in all { #expect(zip(scenario.timeline, scenario.timeline.dropFirst()).allSatisfy { $0.at <= $1.at }) }
  }
}
