import ChildProcesses
import Testing

@testable import HTTPTransfer

@Suite(.aside) struct RequestQueueTests {
  private func long(_ host: String = "a") -> RequestTraits { RequestTraits(peer: host, isLarge: true) }

  private func begun(_ queue: inout RequestQueue) -> [UInt64] {
    var ids: [UInt64] = []
    while let turn = queue.next(now: 0) {
      if case .begin(let id) = turn { ids.append(id) }
    }
    return ids
  }

  /// Places, and how many long ones there are of one server.
  @Test(arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (32, 16)])
  func largeRequestsTakeAtMostHalf(_ limit: Int, _ most: Int) {
    var queue = RequestQueue(limit: limit)
    for id in 1...40 as ClosedRange<UInt64> { queue.add(id, long()) }
    #expect(begun(&queue) == (1...most).map { UInt64($0) })
    queue.add(100, RequestTraits())
    #expect(begun(&queue) == (limit > 1 ? [100] : []))
  }

  /// All states of a queue with a few requests in it, and all kinds of a further one: it may enter at once if and only if it
  /// would be the next to begin, but for the turn of a body that is paced.
  @Test func immediateEntryMatchesQueueOrder() {
    let kinds = [RequestTraits(), long(), RequestTraits(pacedBytes: 5)]
    var entered = 0
    for rate in [nil, 1] as [Int64?] {
      for (limit, first) in (1...3).flatMap({ limit in kinds.map { (limit, $0) } }) {
        for (second, third) in kinds.flatMap({ second in kinds.map { (second, $0) } }) {
          for (count, kind) in (0...3).flatMap({ count in kinds.map { (count, $0) } }) {
            var queue = RequestQueue(limit: limit, rate: rate)
            for (id, traits) in [first, second, third].prefix(count).enumerated() { queue.add(UInt64(id), traits) }
            _ = begun(&queue)
            var other = queue
            other.add(9, kind)
            let isNext = begun(&other) == [9]
            let mayEnter = queue.enter(9, kind)
            #expect(mayEnter ? isNext : !isNext || kind.isLarge || (rate != nil && kind.pacedBytes > 0))
            guard mayEnter else { continue }
            entered += 1
            #expect(queue.inFlight == other.inFlight)
            for id in [0, 9, 1, 2] as [UInt64] {
              queue.release(id)
              other.release(id)
              #expect(begun(&queue) == begun(&other))
            }
          }
        }
      }
    }
    #expect(entered > 100)
  }

  @Test func freePlaceGoesToUnservedServer() {
    var queue = RequestQueue(limit: 4)
    for id in 1...4 as ClosedRange<UInt64> { queue.add(id, long("slow")) }
    #expect(begun(&queue) == [1, 2])
    queue.add(5, long("other"))
    queue.add(6, long("other"))
    queue.add(7, long("third"))
    #expect(begun(&queue) == [5], "the last place is for others")
    queue.release(5)
    #expect(begun(&queue).count == 1 && queue.inFlight == 3)
    queue.add(8, RequestTraits())
    #expect(begun(&queue) == [8])
  }

  @Test func leastBusyServerGoesFirst() {
    var queue = RequestQueue(limit: 8)
    for id in 1...3 as ClosedRange<UInt64> { queue.add(id, long("a")) }
    for id in 4...6 as ClosedRange<UInt64> { queue.add(id, long("b")) }
    #expect(begun(&queue) == [1, 4, 2, 5])
  }

  @Test func pacedBodiesGoInTheirOrder() {
    var queue = RequestQueue(limit: 100, rate: 1)
    for id in 1...9 as ClosedRange<UInt64> {
      queue.add(id, RequestTraits(isLarge: (3...6).contains(id), pacedBytes: 1000))
    }
    #expect(begun(&queue) == [1], "then there is nothing left to send")
    let (first, second) = (queue.remove(5), queue.remove(5))
    #expect(first && !second && queue.hasPaused)
    queue.set(rate: nil, now: 0)
    #expect(begun(&queue) == [2, 7, 8, 9, 3, 4, 6] && !queue.hasPaused)
  }

  private struct Model {
    var waiting: [UInt64: RequestTraits] = [:]
    /// Those with a place that were not told to begin are not known from outside.
    var begun: [UInt64: RequestTraits] = [:]
    var paused: Set<UInt64> = []
    var lastSmall: UInt64 = 0
    var sent: Int64 = 0

    mutating func take(_ turn: RequestQueue.Turn, isPaced: Bool) {
      switch turn {
      case .begin(let id):
        let traits = waiting.removeValue(forKey: id)
        #expect(traits != nil && begun[id] == nil, "\(id) was told to begin and did not wait")
        begun[id] = traits
        sent += Int64(traits?.pacedBytes ?? 0)
        guard traits?.isLarge == false, !isPaced else { return }
        #expect(id > lastSmall)
        lastSmall = id
      case .goOn(let id):
        #expect(begun[id] != nil && paused.remove(id) != nil, "\(id) was told to go on and was not paused")
      }
    }
  }

  /// Whatever comes, leaves, pauses and is taken out in whatever order: nobody is lost or given two turns, small ones keep
  /// their order, and places and bytes stay within their limits.
  @Test(arguments: Seeds.many(0..<50), [nil, 50_000] as [Int64?])
  func losesNoRequest(_ seed: UInt64, rate: Int64?) throws {
    var random = SplitMix64(seed: seed)
    var queue = RequestQueue(limit: Int.random(in: 1...6, using: &random), rate: rate)
    var model = Model()
    var (id, now): (UInt64, Int64) = (0, 0)
    func take() { while let turn = queue.next(now: now) { model.take(turn, isPaced: rate != nil) } }
    for _ in 0..<600 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<5:
        id += 1
        let isLarge = Bool.random(using: &random)
        let peer = isLarge ? ["a", "b", "c"].randomElement(using: &random) ?? "a" : ""
        let bytes = rate == nil || Bool.random(using: &random) ? 0 : Int.random(in: 1...2000, using: &random)
        model.waiting[id] = RequestTraits(peer: peer, isLarge: isLarge, pacedBytes: bytes)
        queue.add(id, try #require(model.waiting[id]))
      case 5..<7:
        guard let some = model.waiting.keys.sorted().randomElement(using: &random) else { continue }
        model.waiting[some] = nil
        let (first, second) = (queue.remove(some), queue.remove(some))
        #expect(first && !second)
      case 7..<9:
        guard let some = model.begun.keys.sorted().randomElement(using: &random), !model.paused.contains(some) else {
          continue
        }
        if let granted = queue.grant(some, upTo: 500, now: now) {
          #expect((1...500).contains(granted))
          model.sent += Int64(granted)
        } else {
          model.paused.insert(some)
        }
      default:
        guard let some = model.begun.keys.sorted().randomElement(using: &random) else { continue }
        model.begun[some] = nil
        model.paused.remove(some)
        queue.release(some)
        queue.release(some)
      }
      now += Int64.random(in: 0...20, using: &random)
      take()
      check(queue, model)
      // A tenth of a second's bytes may be kept, and one body or portion may be sent beyond what there is.
      if let rate { #expect(model.sent <= rate * now / 1000 + rate / 10 + 3200) }
      guard rate == nil else { continue }
      if model.begun.count < queue.limit {
        #expect(!model.waiting.values.contains { !$0.isLarge }, "a small one waits for nothing")
      }
      if model.begun.isEmpty { #expect(model.waiting.isEmpty) }
    }
    for _ in 0..<100_000 where !model.waiting.isEmpty || !model.begun.isEmpty {
      if let some = model.begun.keys.min() {
        model.begun[some] = nil
        model.paused.remove(some)
        queue.release(some)
      }
      now += 10
      take()
    }
    #expect(model.waiting.isEmpty && queue.inFlight == 0 && !queue.hasPaused)
  }

  private func check(_ queue: RequestQueue, _ model: Model) {
    #expect(queue.inFlight >= model.begun.count && queue.inFlight <= queue.limit)
    // Beyond half of the places each server has one large one at the most.
    let perPeer = Dictionary(grouping: model.begun.values.filter(\.isLarge), by: \.peer).mapValues(\.count)
    #expect(perPeer.values.reduce(0, +) <= max(1, queue.limit / 2) + perPeer.count)
  }
}
