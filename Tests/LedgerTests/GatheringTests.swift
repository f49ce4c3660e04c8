import Testing

@testable import Ledger

@Suite struct GatheringTests {
  /// So many jobs are in flight; in each of the commits so many changes are there, and so many more come in the wait. So many are waited
  /// for: most of those in flight under load, none where few are, and none again where a wait was in vain, until more come.
  @Test(
    arguments: [
      (32, [(1, 30), (3, 1), (10, 20), (24, 0), (2, 30)], [18, 16, 9, 0, 17]),
      (7, [(1, 9), (2, 9)], [0, 0]), (32, [(0, 0)], [0]), (28, [(1, 0), (1, 0), (1, 9), (1, 9)], [15, 0, 0, 0]),
      (28, [(1, 0), (2, 3), (1, 9), (1, 0), (1, 0)], [15, 14, 15, 15, 0]),
    ] as [(Int, [(Int, Int)], [Int])])
  func changesAreAwaited(_ active: Int, _ commits: [(Int, Int)], _ awaited: [Int]) {
    var gathering = Gathering()
    let waits = commits.map { there, more in
      let wanted = gathering.wanted(beside: there, active: active)
      if wanted > 0 { gathering.came(min(more, wanted), beside: there) }
      return wanted
    }
    #expect(waits == awaited)
  }

  @Test func waitScalesWithCommitTime() {
    var gathering = Gathering()
    #expect(gathering.patience == .zero)
    gathering.committed(in: .microseconds(400))
    #expect(gathering.patience == .microseconds(800))
    gathering.committed(in: .seconds(3))
    #expect(gathering.patience == .milliseconds(5))
  }
}
