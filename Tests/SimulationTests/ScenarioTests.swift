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

  @Test func seedsCombineAllFeatures() {
    let all = Self.seeds.map { Scenario(seed: $0) }
    for feature in Feature.allCases {
      let count = all.count { $0.features.contains(feature) }
      #expect(count > 20 && count < 280, "\(feature): \(count)")
    }
    #expect(Set(all.map { $0.features }).count > 280)
  }

  @Test func repairsUndoRemainingFaults() {
    let plan = Scenario(seed: 1).configuration
    var scenario = Scenario(seed: 1)
    scenario.timeline = [
      Moment(at: .seconds(1), .moveWallClock(by: .seconds(100))), Moment(at: .seconds(2), .pause(.all)),
      Moment(at: .seconds(3), .moveWallClock(by: .seconds(-30))), Moment(at: .seconds(4), .fillDisk(true)),
      Moment(at: .seconds(5), .changeKeyAtServer(host: "h", to: "new")),
      Moment(at: .seconds(6), .configure(plan)),
    ]
    #expect(
      scenario.repairs == [
        .fillDisk(false), .moveWallClock(by: .seconds(-70)), .changeKeyFile(host: "h", to: "new"), .configure(plan),
        .resume(.all),
      ])
    scenario.timeline = []
    #expect(scenario.repairs == [])
  }

  @Test func someSeedsHaveTroubleOfDisks() {
    let all = (1...100).map { Scenario(seed: $0) }
    let full = all.filter { $0.fullFolder == "spools" }
    #expect(full.count == 13 && full.allSatisfy { $0.repairs.first == .fillDisk(false) })
    #expect(all.count { $0.timeline.contains { $0.action == .loseLedger(.value) } } == 6)
    for scenario in all { #expect(zip(scenario.timeline, scenario.timeline.dropFirst()).allSatisfy { $0.at <= $1.at }) }
  }
}
