import Testing

@testable import Ledger

@Suite struct GatheringTests {
  /// Commits one after the other: so many changes are there, and after a wait so many more.
  private func waits(_ gathering: inout Gathering, active: Int, _ commits: [(there: Int, more: Int)]) -> [Int] {
    commits.map { there, more in
      let wanted = gathering.wanted(beside: there, active: active)
      if wanted > 0 { gathering.came(min(more, wanted), beside: there) }
      return wanted
    }
  }

  @Test func awaitsMostInFlightUnderLoad() {
    var gathering = Gathering()
    #expect(waits(&gathering, active: 32, [(1, 30), (3, 1), (10, 20), (24, 0), (2, 30)]) == [18, 16, 9, 0, 17])
  }

  @Test func waitScalesWithCommitTime() {
    var gathering = Gathering()
    #expect(gathering.patience == .zero)
    gathering.committed(in: .microseconds(400))
    #expect(gathering.patience == .microseconds(800))
    gathering.committed(in: .seconds(3))
    #expect(gathering.patience == .milliseconds(5))
  }

  @Test func fewInFlightAreNotAwaited() {
    var gathering = Gathering()
    #expect(waits(&gathering, active: 7, [(1, 9), (2, 9)]) == [0, 0])
    #expect(gathering.wanted(beside: 0, active: 32) == 0)
  }

  @Test func vainWaitIsNotRepeated() {
    var gathering = Gathering()
    #expect(waits(&gathering, active: 28, [(1, 0), (1, 0), (1, 9), (1, 9)]) == [15, 0, 0, 0])
    #expect(waits(&gathering, active: 28, [(2, 3), (1, 9), (1, 0), (1, 0)]) == [14, 15, 15, 0], "until more come")
  }
}
