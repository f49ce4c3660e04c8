import HTTPTransfer
import Jobs
import SeededNumbers
import Simulation
import Testing

@Suite struct TroubleTests {
  private static let registration = FarRequest(
    method: "POST", url: "https://b0.backend.example/documents", headers: [FarHeader("Idempotency-Key", "\"1\"")],
    body: [1, 2, 3])

  /// The fates of requests that come one each second from time zero on.
  private static func passages(
    _ trouble: Trouble, count: Int = 1000, isStorage: Bool = false, seed: UInt64 = 1
  ) throws -> [Passage] {
    let request = try #require(registration)
    var numbers = SplitMix64(seed: seed)
    let load = Trouble.Load(busy: 0, lastSecond: 1)
    return (0..<count).map { second in
      let now = Duration.seconds(second)
      return trouble.passage(
        of: request, at: now, wall: ModelPeer.time + now, load: load, isStorage: isStorage, &numbers)
    }
  }

  private static func trouble(_ condition: Condition) -> Trouble {
    Trouble(spells: [Spell(condition, from: .seconds(10), until: .seconds(20))])
  }

  @Test func conditionLastsForItsSpell() throws {
    let passages = try Self.passages(Self.trouble(.refusesConnections), count: 30)
    for (second, passage) in passages.enumerated() {
      if (10..<20).contains(second) {
        #expect(passage.actsAt == nil)
        guard case .failure(let trouble, _) = passage.outcome else { return #expect(Bool(false), "\(passage)") }
        #expect(trouble.error(host: "b0").kind == .connect)
        #expect(!trouble.requestMayHaveArrived)
      } else {
        #expect(passage.outcome == .answer(at: .seconds(second) + .milliseconds(20)))
        #expect(passage.actsAt == .seconds(second) + .milliseconds(10))
      }
    }
  }

  @Test func sameSeedGivesSameOutcomes() throws {
    let trouble = Trouble(
      latency: Latency(spread: .seconds(1), tailPermille: 100),
      spells: [Spell(.loses(beforePermille: 100, afterPermille: 200), from: .zero, until: .seconds(1000))])
    #expect(try Self.passages(trouble) == Self.passages(trouble))
    #expect(try Self.passages(trouble) != Self.passages(trouble, seed: 2))
  }

  @Test func losesResponsesInConfiguredShares() throws {
    let trouble = Trouble(
      spells: [Spell(.loses(beforePermille: 100, afterPermille: 200), from: .zero, until: .seconds(1000))])
    let passages = try Self.passages(trouble)
    let lost = passages.filter { if case .failure = $0.outcome { true } else { false } }
    #expect((200...400).contains(lost.count))
    #expect((100...300).contains(lost.count { $0.actsAt != nil }))
    #expect((50...150).contains(lost.count { $0.actsAt == nil }))
  }

  @Test func jobRefusalsAreConsistent() throws {
    let trouble = Trouble(
      spells: [Spell(.refusesJobs(status: 422, permille: 500, salt: 7), from: .zero, until: .seconds(10))])
    var numbers = SplitMix64(seed: 1)
    var refused: [Bool] = []
    for job in 0..<200 {
      let request = try #require(
        FarRequest(
          method: "POST", url: "https://b/documents", headers: [FarHeader("Idempotency-Key", "\"\(job)\"")]))
      let answers = (0..<3).map { _ in
        trouble.passage(
          of: request, at: .zero, wall: ModelPeer.time, load: .init(busy: 0, lastSecond: 1), isStorage: false, &numbers)
      }
      #expect(Set(answers.map { $0.actsAt == nil }).count == 1)
      refused.append(answers[0].actsAt == nil)
    }
    #expect((60...140).contains(refused.count { $0 }))
  }

  @Test func productReadsRetryAfter() throws {
    func wait(_ wait: Condition.Wait) throws -> Duration? {
      let trouble = Self.trouble(.answers(status: 503, permille: 1000, retryAfter: wait, actsPermille: 0))
      let passage = try #require(try Self.passages(trouble, count: 11).last)
      guard case .instead(let answer, _) = passage.outcome else { return nil }
      let time = ModelPeer.time + .seconds(10)
      return StatusError(answer.response(limit: 1000, bytesSent: 0), from: .backend, now: time, hiding: .none)
        .retryAfter
    }
    #expect(try wait(.absent) == nil)
    #expect(try wait(.seconds(0)) == .zero)
    #expect(try wait(.seconds(3600)) == .seconds(3600))
    #expect(try wait(.date(after: 90)) == .seconds(90))
    #expect(try wait(.date(after: -90)) == .zero)
  }

  @Test func excessConcurrentRequestsGet503() throws {
    let trouble = Trouble(latency: Latency(base: .seconds(10)), mostAtOnce: 2)
    var side = Server(host: "b0.backend.example", .backend(ModelBackend()), trouble: trouble)
    var numbers = SplitMix64(seed: 1)
    let request = try #require(Self.registration)
    func acts(at now: Duration) -> Bool {
      side.passage(of: request, now: now, wall: ModelPeer.time, &numbers).actsAt != nil
    }
    #expect(acts(at: .zero))
    #expect(acts(at: .zero))
    #expect(!acts(at: .seconds(1)))
    #expect(acts(at: .seconds(12)))
  }

  @Test func refusalFormMatchesServer() throws {
    let condition = Self.trouble(.refusesKeys)
    for (isStorage, status) in [(true, 403), (false, 401)] {
      let passage = try #require(try Self.passages(condition, count: 11, isStorage: isStorage).last)
      guard case .instead(let answer, _) = passage.outcome else { return #expect(Bool(false), "\(passage)") }
      #expect(answer.status == status)
    }
  }
}
