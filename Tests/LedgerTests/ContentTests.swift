import Jobs
import MessageLiterals
import Testing

@testable import Ledger

@Suite struct ContentTests {
  private let box: LedgerBox
  private let ledger: JobLedger

  init() throws {
    box = try LedgerBox()
    ledger = try box.open()
  }

  private static let route = Route(storage: "main", bucket: "documents", backend: "main")
  private static let sum = String(repeating: "0f", count: 32)

  private func link(_ sum: String = sum) -> StoredLink { .sample(sha256: sum, version: "v") }

  @discardableResult
  private func register(_ name: String, _ link: StoredLink, remembers: Bool = true) async throws -> Job {
    let job = try #require(try await ledger.admit([.sample(name)], begin: 1, in: both).first)
    let uploaded = try await ledger.finish(job, .uploaded(link), remembers: remembers, thenTakeIn: both)
    let next = try #require(uploaded.next)
    let done = try await ledger.finish(next, .registered(.sample), remembers: remembers, thenTakeIn: nil)
    return try #require(done.job)
  }

  private func earlier(
    _ sum: String = sum, spool: String = "documents", by route: Route = route, size: Int64 = 3,
    since: Timestamp = Timestamp(seconds: 0)
  ) async throws -> EarlierContent? {
    try await ledger.earlierContent(spool, route, size: size, sha256: sum, since: since)
  }

  @Test func registrationIsRememberedForItsWay() async throws {
    let first = try await register("a", link())
    box.time.pass(.seconds(5))
    let known = try #require(try await earlier())
    #expect(known.job == first.number && known.id == first.ticket.id && known.receipt.version == "v")
    #expect(known.receipt.bucket == "documents" && known.receipt.key == "1/a" && known.receipt.sha256 == Self.sum)
    #expect(try await earlier(String(repeating: "00", count: 32)) == nil)
    #expect(try await earlier(spool: "other") == nil)
    #expect(try await earlier(size: 4) == nil)
    for change: (inout Route) -> Void in [{ $0.storage = "x" }, { $0.bucket = "x" }, { $0.backend = "x" }] {
      var route = Self.route
      change(&route)
      #expect(try await earlier(by: route) == nil, "what went another way is not known here")
    }
    #expect(try await earlier(since: box.time.now) == nil, "it is too long ago")
    let second = try await register("b", link())
    #expect(try await earlier()?.job == second.number, "its object is there")
  }

  @Test func onlyRegisteredBytesAreRemembered() async throws {
    let job = try #require(try await ledger.admit([.sample("a")], begin: 1, in: both).first)
    _ = try await ledger.finish(job, .uploaded(link()), remembers: true, thenTakeIn: nil)
    #expect(try await earlier() == nil)
    _ = try await ledger.carryOut(.cancel(), on: .number(job.number), by: .recovery)
    #expect(try await earlier() == nil)
    try await register("b", link(), remembers: false)
    #expect(try await earlier() == nil, "the spool remembers nothing")
    try await register("c", StoredLink(link: "https://x/named", receipt: nil, body: []))
    #expect(try await earlier() == nil, "a link that a person named has no sum")
  }

  @Test func oldAndSurplusRowsGo() async throws {
    let sums = (0..<5).map { String(repeating: "\($0)\($0)", count: 32) }
    for (index, sum) in sums.enumerated() {
      try await register("\(index)", link(sum))
      box.time.pass(.seconds(60))
    }
    func left() async throws -> [Bool] {
      var left: [Bool] = []
      for sum in sums { left.append(try await earlier(sum) != nil) }
      return left
    }
    // The first two are too old.
    let start = box.time.now + .seconds(-300)
    try await ledger.forgetContents { _ in start + .seconds(90) }
    #expect(try await left() == [false, false, true, true, true])
    try await ledger.forgetContents(most: 2) { _ in Timestamp(seconds: 0) }
    #expect(try await left() == [false, false, false, true, true])
    try await ledger.forgetContents { _ in nil }
    #expect(try await left() == Array(repeating: false, count: 5), "the spool remembers nothing any more")
  }

  /// Whose object another job may still write over is found by its key, among the jobs of a spool that are still to be sent.
  @Test func keyOfAnotherJobIsWanted() async throws {
    func wanted(by job: Job) async throws -> Bool { try await ledger.isKeyWanted(by: job) }
    let first = try #require(try await ledger.admit([.sample("a")], begin: 1, in: both).first)
    #expect(try await !wanted(by: first), "it is its own")
    let second = try #require(try await ledger.admit([.sample("b")], begin: 1, in: both).first)
    for job in [first, second] { #expect(try await wanted(by: job)) }
    _ = try await ledger.finish(second, .uploaded(link()), thenTakeIn: nil)
    #expect(try await !wanted(by: first), "it is stored")
  }
}
