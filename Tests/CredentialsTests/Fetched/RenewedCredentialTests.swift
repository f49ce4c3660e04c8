import ChildProcesses
import Jobs
import Synchronization
import Messages
import Testing
@testable import Credentials

/// The chain as readers use it: one renewal at a time, off the way of those who have keys.
@Suite struct RenewedCredentialTests {
  private final class Far: Sendable {
    struct State {
      var now: Int64 = 0
      var fetches = 0
      var waiting: [CheckedContinuation<Result<FetchedCredential, KeyFault>, Never>] = []
      var notices: [String] = []
    }

    let state = Mutex(State())

    var fetches: Int { state.withLock(\.fetches) }

    func answer(_ result: Result<FetchedCredential, KeyFault>) async throws {
      try await until("a fetch", every: .milliseconds(1)) { self.state.withLock { !$0.waiting.isEmpty } }
      state.withLock { $0.waiting.removeFirst() }.resume(returning: result)
    }

    func chain() -> RenewedCredential {
      RenewedCredential(
        .aws("default"),
        now: { Timestamp(seconds: self.state.withLock(\.now)) },
        notice: { words in self.state.withLock { $0.notices.append(words) } },
        fetch: { () async throws(KeyFault) in
          let result = await withCheckedContinuation { continuation in
            self.state.withLock { state in
              state.fetches += 1
              state.waiting.append(continuation)
            }
          }
          return try result.get()
        })
    }
  }

  private func reader(_ chain: RenewedCredential, report: @escaping @Sendable (CredentialError?) -> Void = { _ in })
    -> CredentialReader
  {
    CredentialReader(.aws("default"), environment: [:], fetched: chain, report: report)
  }

  @Test func sharesFetchAndRenewsInBackground() async throws {
    let far = Far()
    let reader = reader(far.chain())
    #expect(throws: CredentialError.self) { try reader.profile() }
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await reader.currentProfile().accessKey } }
      try await far.answer(.success(try .keys("A", expires: 3600)))
      for try await id in group { #expect(id == "A") }
    }
    #expect(far.fetches == 1 && reader.lastGeneration == 1)
    far.state.withLock { $0.now = 3400 }
    #expect(try await reader.currentProfile().accessKey == "A")
    try await far.answer(.success(try .keys("B", expires: 7200)))
    try await until("the new keys") { try await reader.currentProfile().accessKey == "B" }
    #expect(far.fetches == 2 && reader.lastGeneration == 2)
  }

  @Test func expiredKeysWaitAndReportFailure() async throws {
    let far = Far()
    let told = Mutex<[CredentialError?]>([])
    let reader = reader(far.chain()) { error in told.withLock { $0.append(error) } }
    async let first = reader.currentProfile()
    try await far.answer(.success(try .keys("A", expires: 100)))
    _ = try await first
    #expect(told.withLock(\.self).isEmpty)
    far.state.withLock { $0.now = 200 }
    let second = Task { try await reader.currentProfile() }
    try await far.answer(.failure(KeyFault(.text("STS says no"), remedy: .text("ask it"))))
    let error = await #expect(throws: CredentialError.self) { try await second.value }
    #expect(error?.description == "AWS credential chain: STS says no; ask it")
    // While it pauses, nobody waits.
    await #expect(throws: CredentialError.self) { try await reader.currentProfile() }
    #expect(!reader.seekChange(since: reader.lastGeneration))
    #expect(far.fetches == 2 && told.withLock(\.count) == 1)
    far.state.withLock { $0.now = 202 }
    #expect(!reader.seekChange(since: reader.lastGeneration))
    try await far.answer(.success(try .keys("B", expires: 3600)))
    try await until("the change to be seen") { reader.seekChange(since: 1) }
    #expect(told.withLock { $0.count == 2 && $0[1] == nil })
  }

  @Test func reportsFailedRenewalOnce() async throws {
    let far = Far()
    let reader = reader(far.chain())
    async let first = reader.currentProfile()
    try await far.answer(.success(try .keys("A", expires: 3600)))
    _ = try await first
    for now: Int64 in [3400, 3410] {
      far.state.withLock { $0.now = now }
      #expect(try await reader.currentProfile().accessKey == "A")
      try await far.answer(.failure(KeyFault(.text("no way"))))
      try await until("the end of the fetch") { far.state.withLock { $0.waiting.isEmpty && !$0.notices.isEmpty } }
    }
    #expect(far.state.withLock(\.notices).count == 1)
    #expect(far.state.withLock(\.notices)[0].contains("could not be renewed yet: no way"))
  }

  /// Everybody who was refused with the old one waits for one fetch, and whoever comes later finds the new one.
  @Test func replacesRefusedValueOnceForAll() async throws {
    let far = Far()
    let chain = far.chain()
    async let first: Void = chain.untilUsable()
    try await far.answer(.success(try .keys("A", expires: 3600)))
    await first
    let old = try chain.renewIfDue().secret
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 { group.addTask { await chain.replace(old) } }
      try await far.answer(.success(try .keys("B", expires: 3600)))
      for try await isOther in group { #expect(isOther) }
    }
    #expect(await chain.replace(old))
    #expect(far.fetches == 2)
    // A new one that is refused too is not replaced again at once.
    let new = try chain.renewIfDue().secret
    #expect(new.text == "B")
    #expect(!(await chain.replace(new)))
    far.state.withLock { $0.now = 29 }
    #expect(!(await chain.replace(new)))
    #expect(far.fetches == 2)
    far.state.withLock { $0.now = 30 }
    let again = Task { await chain.replace(new) }
    try await far.answer(.success(try .keys("C", expires: 3600)))
    #expect(await again.value)
  }

  @Test func failedReplacementCountsAsRefusal() async throws {
    let far = Far()
    let chain = far.chain()
    async let first: Void = chain.untilUsable()
    try await far.answer(.success(try .keys("A", expires: 3600)))
    await first
    let old = try chain.renewIfDue().secret
    let replaced = Task { await chain.replace(old) }
    try await far.answer(.failure(KeyFault(.text("no"))))
    #expect(!(await replaced.value))
    #expect(!(await chain.replace(old)), "it pauses")
    #expect(far.fetches == 2)
    // A server that gives the same one again gives no other one.
    far.state.withLock { $0.now = 31 }
    let same = Task { await chain.replace(old) }
    try await far.answer(.success(try .keys("A", expires: 3600)))
    #expect(!(await same.value))
  }

  /// A job that is cancelled, and a daemon that stops, wait for no token.
  @Test func cancellationEndsWaiting() async throws {
    let far = Far()
    let chain = far.chain()
    let refused = try #require(Secret(text: "x"))
    let (waiting, replacing) = (Task { await chain.untilUsable() }, Task { await chain.replace(refused) })
    try await until("the fetch") { far.fetches == 1 }
    waiting.cancel()
    replacing.cancel()
    await waiting.value
    #expect(!(await replacing.value))
    let late = Task { await chain.untilUsable() }
    late.cancel()
    await late.value
    try await far.answer(.success(try .keys("A", expires: 3600)))
    try await until("the keys") { (try? chain.renewIfDue()) != nil }
  }
}
