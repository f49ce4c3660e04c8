import Testing

@testable import HTTPTransfer

@Suite struct RequestQueueTests {
  private func long(_ host: String = "a") -> RequestTraits { RequestTraits(peer: host, isBulk: true) }

  /// Gives all turns that may be given, and says to whom.
  private func begun(_ queue: inout RequestQueue) -> [UInt64] {
    var ids: [UInt64] = []
    while let next = queue.next() { ids.append(next.id) }
    return ids
  }

  @Test func smallOnesGoInTheirOrderUpToTheLimit() {
    var queue = RequestQueue(limit: 2)
    for id in 1...3 as ClosedRange<UInt64> { queue.add(id, RequestTraits()) }
    #expect(begun(&queue) == [1, 2] && queue.inFlight == 2)
    queue.leave(2)
    #expect(begun(&queue) == [3])
  }

  /// Places, and how many long ones there are of one far side.
  @Test(arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (32, 16)])
  func longOnesHaveHalfOfThePlacesAndOthersGoPast(_ limit: Int, _ most: Int) {
    var queue = RequestQueue(limit: limit)
    for id in 1...40 as ClosedRange<UInt64> { queue.add(id, long()) }
    #expect(begun(&queue) == (1...most).map { UInt64($0) })
    queue.add(100, RequestTraits())
    #expect(begun(&queue) == (limit > 1 ? [100] : []))
  }

  @Test func aLongOneThatEndsLetsTheNextGo() {
    var queue = RequestQueue(limit: 4)
    for id in 1...5 as ClosedRange<UInt64> { queue.add(id, long()) }
    #expect(begun(&queue) == [1, 2])
    queue.leave(1)
    #expect(begun(&queue) == [3])
    let (hadFour, hadOne) = (queue.remove(4), queue.remove(1))
    #expect(hadFour && !hadOne)
    queue.leave(2)
    queue.leave(3)
    #expect(begun(&queue) == [5] && queue.inFlight == 1)
  }

  @Test func aFarSideThatHasNoneGetsOneWhilePlacesAreFree() {
    var queue = RequestQueue(limit: 4)
    for id in 1...4 as ClosedRange<UInt64> { queue.add(id, long("slow")) }
    #expect(begun(&queue) == [1, 2])
    queue.add(5, long("other"))
    queue.add(6, long("other"))
    queue.add(7, long("third"))
    #expect(begun(&queue) == [5], "the last place is for others")
    queue.leave(5)
    #expect(begun(&queue).count == 1 && queue.inFlight == 3)
    queue.add(8, RequestTraits())
    #expect(begun(&queue) == [8])
  }

  @Test func amongFarSidesTheOneWithTheFewestInFlightGoesFirst() {
    var queue = RequestQueue(limit: 8)
    for id in 1...3 as ClosedRange<UInt64> { queue.add(id, long("a")) }
    for id in 4...6 as ClosedRange<UInt64> { queue.add(id, long("b")) }
    #expect(begun(&queue) == [1, 4, 2, 5])
  }

  @Test func thoseThatWaitCanAllBeTakenOut() {
    var queue = RequestQueue(limit: 2)
    queue.add(1, long())
    queue.add(2, long())
    queue.add(3, RequestTraits())
    queue.add(4, RequestTraits())
    #expect(begun(&queue) == [3, 4], "small ones first")
    queue.leave(3)
    #expect(begun(&queue) == [1])
    queue.add(5, RequestTraits())
    #expect(queue.removeAll() == [2, 5])
    queue.leave(1)
    queue.leave(4)
    #expect(queue.inFlight == 0 && begun(&queue) == [])
  }

  /// Whatever comes, leaves and is taken out in whatever order: nobody is lost, forgotten or given two turns, small ones
  /// keep their order, and the limits hold.
  @Test(arguments: 0..<50 as Range<UInt64>) func nobodyIsLost(_ seed: UInt64) throws {
    var random = Dice(seed: seed)
    var queue = RequestQueue(limit: Int.random(in: 1...6, using: &random))
    var (waiting, inFlight, lastSmall): ([UInt64: RequestTraits], [UInt64: RequestTraits], UInt64) = ([:], [:], 0)
    var id: UInt64 = 0
    func check(_ queue: RequestQueue) {
      #expect(queue.inFlight == inFlight.count && inFlight.count <= queue.limit)
      let mostLong = max(1, queue.limit / 2)
      // Beyond half of the places each far side has one long one at the most.
      let long = inFlight.values.filter(\.isBulk)
      let perPeer = Dictionary(grouping: long, by: \.peer).mapValues(\.count)
      #expect(long.count <= mostLong + perPeer.count)
    }
    for _ in 0..<600 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        id += 1
        let isBulk = Bool.random(using: &random)
        let traits = RequestTraits(
          peer: isBulk ? ["a", "b", "c"].randomElement(using: &random) ?? "a" : "", isBulk: isBulk)
        waiting[id] = traits
        queue.add(id, traits)
      case 5..<7:
        guard let some = waiting.keys.sorted().randomElement(using: &random) else { continue }
        waiting[some] = nil
        let (first, second) = (queue.remove(some), queue.remove(some))
        #expect(first && !second)
      default:
        guard let some = inFlight.keys.sorted().randomElement(using: &random) else { continue }
        let (traits, again) = (queue.leave(some), queue.leave(some))
        #expect(traits == inFlight.removeValue(forKey: some) && again == nil)
      }
      while let next = queue.next() {
        #expect(waiting.removeValue(forKey: next.id) == next.traits)
        inFlight[next.id] = next.traits
        if !next.traits.isBulk {
          #expect(next.id > lastSmall)
          lastSmall = next.id
        }
      }
      check(queue)
      if inFlight.count < queue.limit {
        #expect(!waiting.values.contains { !$0.isBulk }, "a small one waits for nothing")
      }
      if inFlight.isEmpty { #expect(waiting.isEmpty) }
    }
    while let some = inFlight.keys.min() {
      inFlight[some] = nil
      queue.leave(some)
      while let next = queue.next() {
        #expect(waiting.removeValue(forKey: next.id) != nil)
        inFlight[next.id] = next.traits
      }
    }
    #expect(waiting.isEmpty)
  }
}

/// Random numbers that come again with their seed (SplitMix64).
private struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
