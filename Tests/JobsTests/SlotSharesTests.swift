import Jobs
import Testing

@Suite struct SlotSharesTests {
  /// Slots, how many destinations there are, and how many attempts each may have in flight while the others have none.
  private static let table: [(slots: Int, destinations: Int, most: [Int])] = [
    (1, 1, [1]), (1, 2, [1, 1]), (2, 2, [1, 1]), (3, 2, [2, 2]), (4, 2, [3, 3]), (4, 3, [2, 2, 2]),
    (8, 2, [7, 7]), (16, 2, [14, 14]), (32, 1, [32]), (32, 2, [28, 28]), (32, 4, [26, 26, 26, 26]),
    (1024, 2, [896, 896]), (0, 2, [0, 0]), (4, 6, [2, 2, 2, 2, 2, 2]),
  ]

  private func names(_ count: Int) -> [Destination] { (0..<count).map { .storage("\($0)") } }

  @Test(arguments: table)
  func reservesGuaranteedSlotsOfOthers(_ slots: Int, _ destinations: Int, _ most: [Int]) {
    let shares = SlotShares(slots: slots, destinations: names(destinations))
    let found = names(destinations).map { name in
      var use = SlotUse()
      while shares.mayBegin(at: name, use) { use.add(1, at: name) }
      return use[name]
    }
    #expect(found == most)
  }

  /// However few the slots: where some destinations never give theirs back, there is one for each of the others.
  @Test func anyDestinationWorksBesideHogs() {
    for slots in 2...9 {
      for count in 2...9 {
        let shares = SlotShares(slots: slots, destinations: names(count))
        for hogs in 1...min(count - 1, slots - slots / 2) {
          var use = SlotUse()
          while let hog = shares.next(use, among: names(hogs)) { use.add(1, at: hog) }
          for other in names(count).dropFirst(hogs) {
            #expect(shares.mayBegin(at: other, use), "\(slots) slots, \(count) destinations, \(hogs) hogs")
          }
        }
      }
    }
  }

  @Test func fewestInFlightGoesFirst() {
    let shares = SlotShares(slots: 32, destinations: names(3))
    var use = SlotUse()
    var order: [Destination?] = []
    use.add(2, at: .storage("1"))
    for _ in 1...6 {
      let next = shares.next(use, among: shares.destinations) { _ in true }
      if let next { use.add(1, at: next) }
      order.append(next)
    }
    #expect(order == [0, 2, 0, 2, 0, 1].map { .storage("\($0)") })
    #expect(shares.next(use, among: shares.destinations) { $0 == .storage("2") } == .storage("2"))
    #expect(shares.next(use, among: shares.destinations) { _ in false } == nil)
  }

  @Test func removedDestinationGetsNoSlots() {
    let shares = SlotShares(slots: 4, destinations: names(2))
    var use = SlotUse()
    use.add(2, at: .storage("gone"))
    #expect(!shares.mayBegin(at: .storage("gone"), use))
    #expect(names(2).allSatisfy { shares.mayBegin(at: $0, use) })
  }

  @Test(arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (32, 16)])
  func largeUploadsTakeAtMostHalf(_ concurrency: Int, _ most: Int) {
    let lanes = Lanes(concurrency: concurrency, destinations: [.backend("main"), .storage("main")])
    var use = SlotUse()
    while lanes.large.mayBegin(at: .storage("main"), use) { use.add(1, at: .storage("main")) }
    #expect(use.total == most, "and backends keep none of them")
  }
}
