import Testing

@testable import HTTPTransfer

@Suite struct RequestLanesTests {
  private func transfer(_ id: UInt64, _ host: String = "a", isBulk: Bool = false) -> Transfer {
    Transfer(
      id: id, request: HTTPRequest(method: "PUT", url: "http://\(host)/\(id)", isBulk: isBulk),
      sink: .stream(StreamBuffer()))
  }

  /// Begins whatever may, and says which.
  private func begun(_ lanes: inout RequestLanes) -> [UInt64] {
    var ids: [UInt64] = []
    while let transfer = lanes.next() { ids.append(transfer.id) }
    return ids
  }

  @Test func smallOnesGoInTheirOrderUpToTheLimit() {
    var lanes = RequestLanes(limit: 2)
    let all = (1...3).map { transfer($0) }
    for one in all { lanes.add(one) }
    #expect(begun(&lanes) == [1, 2] && lanes.inFlight == 2)
    lanes.left(all[1])
    #expect(begun(&lanes) == [3])
  }

  /// Places, and how many long ones there are of one far side.
  @Test(arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (32, 16)])
  func longOnesHaveHalfOfThePlacesAndOthersGoPast(_ limit: Int, _ most: Int) {
    var lanes = RequestLanes(limit: limit)
    for id in 1...40 { lanes.add(transfer(UInt64(id), isBulk: true)) }
    #expect(begun(&lanes) == (1...most).map { UInt64($0) })
    lanes.add(transfer(100))
    #expect(begun(&lanes) == (limit > 1 ? [100] : []))
  }

  @Test func aLongOneThatEndsLetsTheNextGo() {
    var lanes = RequestLanes(limit: 4)
    let all = (1...5).map { transfer($0, isBulk: true) }
    for one in all { lanes.add(one) }
    #expect(begun(&lanes) == [1, 2])
    lanes.left(all[0])
    #expect(begun(&lanes) == [3])
    #expect(lanes.takeWaiting(4)?.id == 4 && lanes.takeWaiting(1) == nil)
    lanes.left(all[1])
    lanes.left(all[2])
    #expect(begun(&lanes) == [5] && lanes.inFlight == 1)
  }

  @Test func aFarSideThatHasNoneGetsOneWhilePlacesAreFree() {
    var lanes = RequestLanes(limit: 4)
    for id in 1...4 { lanes.add(transfer(UInt64(id), "slow", isBulk: true)) }
    #expect(begun(&lanes) == [1, 2])
    let other = transfer(5, "other", isBulk: true)
    lanes.add(other)
    lanes.add(transfer(6, "other", isBulk: true))
    lanes.add(transfer(7, "third", isBulk: true))
    #expect(begun(&lanes) == [5], "the last place is for others")
    lanes.left(other)
    #expect(begun(&lanes).count == 1 && lanes.inFlight == 3)
    lanes.add(transfer(8))
    #expect(begun(&lanes) == [8])
  }

  @Test func amongFarSidesTheOneWithTheFewestInFlightGoesFirst() {
    var lanes = RequestLanes(limit: 8)
    for id in 1...3 { lanes.add(transfer(UInt64(id), "a", isBulk: true)) }
    for id in 4...6 { lanes.add(transfer(UInt64(id), "b", isBulk: true)) }
    #expect(begun(&lanes) == [1, 4, 2, 5])
  }

  @Test func clearedAreThoseThatWait() {
    var lanes = RequestLanes(limit: 2)
    let all = [transfer(1, isBulk: true), transfer(2, isBulk: true), transfer(3), transfer(4)]
    for one in all { lanes.add(one) }
    #expect(begun(&lanes) == [3, 4], "small ones first")
    lanes.left(all[2])
    #expect(begun(&lanes) == [1])
    lanes.add(transfer(5))
    #expect(lanes.clear().map(\.id) == [5, 2])
    lanes.left(all[0])
    lanes.left(all[3])
    #expect(lanes.inFlight == 0 && begun(&lanes) == [])
  }
}
