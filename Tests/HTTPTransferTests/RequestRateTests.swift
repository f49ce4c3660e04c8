import ChildProcesses
import Testing

@testable import HTTPTransfer

@Suite(.aside) struct RequestRateTests {
  private static func rates(_ rates: [String: Double]) -> RequestRates {
    let all = RequestRates()
    all.set(rates)
    return all
  }

  private func begun(_ queue: inout RequestQueue, _ now: Int64) -> [UInt64] {
    var ids: [UInt64] = []
    while case .begin(let id)? = queue.next(now: now) { ids.append(id) }
    return ids
  }

  @Test func oldestGoesFirstAndOthersAtOnce() {
    let rates = Self.rates(["a": 1])
    var queue = RequestQueue(limit: 8, rates: rates)
    let mayEnter = queue.enter(1, RequestTraits(rate: "a"))
    for id in 1...3 as ClosedRange<UInt64> { queue.add(id, RequestTraits(rate: "a")) }
    queue.add(4, RequestTraits(peer: "a", isLarge: true, rate: "a"))
    queue.add(5, RequestTraits(rate: "a"))
    #expect(begun(&queue, 0) == [1] && rates.use(of: "a")?.waiting == 4 && rates.held(by: "a") > 0)
    #expect(!mayEnter && queue.deadline(now: 0) == 1000)
    let entered = queue.enter(6, RequestTraits())
    queue.add(7, RequestTraits(peer: "b", isLarge: true))
    #expect(begun(&queue, 999) == [7])
    let removed = queue.remove(2)
    #expect(entered && removed && rates.use(of: "a")?.waiting == 3)
    let later = [1000, 2000, 3000, 4000].map { begun(&queue, $0) }
    #expect(later == [[3], [4], [5], []])
    #expect(rates.use(of: "a")?.waiting == 0 && queue.deadline(now: 4000) == nil)
  }

  /// A token does not help while there is no place: the end of a request gives one, not a time.
  @Test func waitsForPlaceWithoutTime() {
    var queue = RequestQueue(limit: 2, rates: Self.rates(["a": 10]))
    for id in 1...4 as ClosedRange<UInt64> { queue.add(id, RequestTraits(peer: "a", isLarge: true, rate: "a")) }
    #expect(begun(&queue, 0) == [1] && queue.deadline(now: 0) == nil, "half of the places")
    queue.release(1)
    #expect(begun(&queue, 0) == [2])
  }

  @Test func newRateAppliesToWaiting() {
    let rates = Self.rates(["a": 0.001])
    var queue = RequestQueue(limit: 8, rates: rates)
    for id in 1...4 as ClosedRange<UInt64> { queue.add(id, RequestTraits(rate: "a")) }
    #expect(begun(&queue, 0) == [1])
    rates.set(["a": 100])
    #expect(begun(&queue, 5) == [])
    #expect(begun(&queue, 10) == [2])
    rates.set([:])
    #expect(begun(&queue, 10) == [3, 4] && rates.use(of: "a") == nil)
  }

  /// Whatever comes: nobody is lost, each limit is kept in every span, and the requests of one kind keep their order.
  @Test(arguments: Seeds.many(0..<40)) func keepsEachLimit(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let limits = ["a": 3.5, "b": 40]
    var queue = RequestQueue(limit: Int.random(in: 1...12, using: &random), rates: Self.rates(limits))
    var (id, now): (UInt64, Int64) = (0, 0)
    var waiting: [UInt64: RequestTraits] = [:]
    var (running, times): ([UInt64], [String: [Int64]]) = ([], [:])
    for round in 0..<4000 {
      if round < 600, Bool.random(using: &random) {
        id += 1
        let isLarge = Bool.random(using: &random)
        let traits = RequestTraits(
          peer: isLarge ? "host" : "", isLarge: isLarge, rate: ["a", "b", nil].randomElement(using: &random) ?? nil)
        if queue.enter(id, traits) { running.append(id) } else { queue.add(id, traits) }
        if !running.contains(id) { waiting[id] = traits }
      }
      for one in begun(&queue, now) {
        let traits = waiting.removeValue(forKey: one)
        #expect(traits != nil, "\(one) did not wait")
        let before = waiting.filter { $0.key < one && $0.value == traits }
        #expect(before.isEmpty, "\(one) overtook \(before.keys.sorted())")
        if let rate = traits?.rate { times[rate, default: []].append(now) }
        running.append(one)
      }
      if !running.isEmpty, round % 2 == 0 || round > 600 { queue.release(running.removeFirst()) }
      let next = queue.deadline(now: now)
      now = round > 600 && running.isEmpty ? max(now, next ?? now) : now + Int64.random(in: 0...30, using: &random)
    }
    #expect(waiting.isEmpty && running.isEmpty)
    for (name, times) in times {
      let rate = limits[name] ?? 0
      for first in times.indices {
        for last in first..<times.count {
          let most = Double(times[last] - times[first]) / 1000 * rate + rate.rounded(.down)
          #expect(Double(last - first + 1) <= most + 1e-6)
        }
      }
    }
  }
}

@Suite(.slot) struct RatedTransferTests {
  @Test func waitEndsWithCancelOrStopOrRate() async throws {
    let server = try await Server()
    let transport = try Transport()
    transport.rates.set(["a": 0.001])
    func send() async throws -> Int {
      try await transport.send(RequestTraits(rate: "a")) { server.request("/echo") }.status
    }
    #expect(try await send() == 200)
    let cut = Task { try await send() }
    #expect(try await transport.send(server.request("/echo")).status == 200, "others go on")
    cut.cancel()
    await #expect(throws: TransferError.self) { try await cut.value }
    let freed = Task { try await send() }
    while transport.rates.use(of: "a")?.waiting != 1 { try await Task.sleep(for: .milliseconds(1)) }
    transport.rates.set(["a": 1000])
    await transport.limit(inFlight: 4, sendLimit: nil)
    #expect(try await freed.value == 200)
    transport.rates.set(["a": 0.001])
    let stopped = Task { try await send() }
    await transport.endRateWaits()
    await #expect(throws: TransferError.self) { try await stopped.value }
    await #expect(throws: TransferError.self) { try await send() }
    #expect(try await transport.send(server.request("/echo")).status == 200)
  }
}
