import Jobs
import MessageLiterals
import Testing

@Suite struct SlotsTests {
  private static let names: [Destination] = [.backend("main"), .storage("main")]
  private static let start = Timestamp(seconds: 1000)

  private static func slots(_ concurrency: Concurrency = .auto, memory: Int = 512) -> Slots {
    Slots(concurrency, destinations: names, memory: memory, now: start)
  }

  private static func failed(_ kind: Failure.Kind, status: Int? = nil, code: String? = nil) -> AttemptResult {
    .failed(Failure(kind, "HTTP", status: status, code: code), .abort)
  }

  /// The end of an attempt, and of the probe half a minute later.
  private static func end(_ slots: inout Slots, _ result: AttemptResult, probe: AttemptResult = .registered(.sample)) {
    slots.ended(result, of: .sample(), after: .seconds(1), now: start)
    slots.ended(probe, of: .sample(), after: .seconds(1), now: start + .seconds(31))
  }

  private static func most(_ lanes: Lanes, _ destination: Destination) -> Int {
    var use = SlotUse()
    while lanes.mayBegin(at: destination, use) { use.add(1, at: destination) }
    return use.total
  }

  @Test func eachDestinationHasOwnLimit() {
    var slots = Self.slots()
    #expect(slots.isAdaptive && slots.lanes.all.slots == 32)
    #expect(Self.names.map { Self.most(slots.lanes, $0) } == [16, 16])
    Self.end(&slots, Self.failed(.throttled, status: 429))
    #expect(Self.names.map { Self.most(slots.lanes, $0) } == [16, 8], "half, while nothing had gone well yet")
    #expect(slots.lanes.all.slots == 24)
    var use = SlotUse()
    for _ in 1...8 { use.add(1, at: .storage("main")) }
    #expect(slots.lanes.all.next(use, among: Self.names) { _ in true } == .backend("main"))
    #expect(slots.lanes.all.next(use, among: Self.names) { $0 == .storage("main") } == nil)
  }

  /// The storage has had no part in it.
  @Test func missingGrantLeavesLimitOfStorage() {
    var slots = Self.slots()
    var failure = Failure(.throttled, "HTTP", status: 429)
    failure.grantor = .backend("main")
    slots.ended(.failed(failure, .wait(after: .seconds(1))), of: .sample(), after: .seconds(1), now: Self.start)
    #expect(slots.limit(at: .storage("main"))?.limit == 16)
  }

  @Test func fixedLimitNeverAdapts() {
    var slots = Self.slots(.fixed(32))
    #expect(!slots.isAdaptive && slots.limit(at: .storage("main")) == nil)
    #expect(slots.lanes == Lanes(concurrency: 32, destinations: Self.names))
    for _ in 1...20 {
      slots.ended(Self.failed(.unavailable, status: 503), of: .sample(), after: .seconds(1), now: Self.start)
      slots.committed(SlotUse(), now: Self.start) { _ in true }
    }
    #expect(slots.lanes == Lanes(concurrency: 32, destinations: Self.names))
  }

  /// Attempts that waited for a limit a second say nothing of the server, but that it refused.
  @Test func heldAttemptsTeachNothing() {
    var slots = Self.slots()
    for _ in 1...500 {
      slots.committed(SlotUse(), now: Self.start) { _ in false }
      slots.ended(.registered(.sample), of: .sample(), after: .seconds(60), isHeld: true, now: Self.start)
    }
    #expect(slots.limit(at: .storage("main"))?.limit == 16)
    let refused = Self.failed(.throttled, status: 429)
    slots.ended(refused, of: .sample(), after: .seconds(60), isHeld: true, now: Self.start)
    slots.ended(.registered(.sample), of: .sample(), after: .seconds(1), isHeld: true, now: Self.start + .seconds(31))
    #expect(slots.limit(at: .storage("main"))?.limit == 8)
  }

  @Test func reloadKeepsLearnedLimits() {
    var slots = Self.slots()
    Self.end(&slots, Self.failed(.unavailable, status: 503))
    slots.configure(.auto, destinations: [.storage("main"), .storage("new")], now: Self.start)
    #expect(slots.limit(at: .storage("main"))?.limit == 8)
    #expect(slots.limit(at: .storage("new"))?.limit == 16)
    #expect(slots.limit(at: .backend("main")) == nil)
    slots.configure(.fixed(7), destinations: Self.names, now: Self.start)
    #expect(slots.lanes == Lanes(concurrency: 7, destinations: Self.names))
    slots.configure(.auto, destinations: Self.names, now: Self.start)
    #expect(slots.limit(at: .storage("main"))?.limit == 16, "a number learns nothing, so it begins anew")
  }

  @Test(arguments: [
    (failed(.unavailable, status: 503), true),
    (.failed(Failure(.unavailable, "HTTP", status: 503), .retry(after: .seconds(5))), false),
    (failed(.throttled, status: 429), true),
    (failed(.transient, status: 500), false), (failed(.transient, code: Failure.timeoutCode), false),
    (failed(.credentials, status: 403), false), (failed(.network), false), (failed(.rejected, status: 422), false),
    (failed(.file), false), (.cut, false), (.registered(.sample), false),
  ])
  func onlyRefusalsLowerLimit(_ result: AttemptResult, _ lowers: Bool) {
    var slots = Self.slots()
    Self.end(&slots, result)
    #expect((slots.limit(at: .storage("main"))?.limit == 8) == lowers)
  }

  @Test func memoryBoundsTotalSlots() {
    #expect(Slots.fitting(64 << 20) == 27)
    #expect(Slots.fitting(1 << 20) == 16, "never so few that nothing goes on")
    #expect(Slots.fitting(64 << 30) == 1024)
    #expect(Slots.fitting(nil) == 512)
    #expect(Self.slots(memory: 20).lanes.all.slots == 20)
  }

  /// With all attempts under way, each with a connection and a file, a quarter is left for the rest, up to 512.
  @Test(arguments: [(-1, 1), (0, 1), (64, 24), (256, 96), (1024, 384), (8191, 3839), (8192, 3840), (1 << 20, 524_032)])
  func dividesDescriptors(_ all: Int, _ slots: Int) {
    #expect(DescriptorPlan(all).slots == slots)
  }

  @Test func descriptorsBoundTotalSlots() {
    var slots = Slots(.auto, destinations: Self.names, memory: 512, descriptors: 20, now: Self.start)
    #expect(slots.lanes.all.slots == 20)
    slots.configure(.fixed(64), destinations: Self.names, now: Self.start)
    #expect(slots.lanes.all.slots == 20)
    slots.configure(.fixed(10), destinations: Self.names, now: Self.start)
    #expect(slots.lanes.all.slots == 10)
  }
}
