import ChildProcesses
import Credentials
import Jobs
import Synchronization
import Testing

@testable import AWSCredentials

/// The chain as readers use it: one renewal at a time, off the way of those who have keys.
@Suite struct AWSKeyChainTests {
  /// A source of keys that answers when the test says so.
  private final class Far: Sendable {
    struct State {
      var now: Int64 = 0
      var fetches = 0
      var waiting: [CheckedContinuation<Result<AWSKeys, FetchFailure>, Never>] = []
      var notices: [String] = []
    }

    let state = Mutex(State())

    var fetches: Int { state.withLock(\.fetches) }

    func answer(_ result: Result<AWSKeys, FetchFailure>) async throws {
      try await until("a fetch", every: .milliseconds(1)) { self.state.withLock { !$0.waiting.isEmpty } }
      state.withLock { $0.waiting.removeFirst() }.resume(returning: result)
    }

    func chain() -> AWSKeyChain {
      AWSKeyChain(
        "default", environment: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1"],
        now: { Timestamp(seconds: self.state.withLock(\.now)) },
        notice: { words in self.state.withLock { $0.notices.append(words) } },
        fetch: { _ in
          await withCheckedContinuation { continuation in
            self.state.withLock { state in
              state.fetches += 1
              state.waiting.append(continuation)
            }
          }
        })
    }
  }

  private static func keys(_ id: String, expires seconds: Int64) throws -> AWSKeys {
    AWSKeys(
      AWSProfile(
        accessKey: try #require(Secret(text: id)), secretKey: try #require(Secret(text: "s")), sessionToken: nil),
      expires: Timestamp(seconds: seconds))
  }

  private func reader(_ chain: AWSKeyChain, report: @escaping @Sendable (CredentialError?) -> Void = { _ in })
    -> CredentialReader
  {
    CredentialReader(.aws("default"), environment: [:], fetched: chain, report: report)
  }

  @Test func `many wait for one fetch, and nobody waits for a renewal`() async throws {
    let far = Far()
    let reader = reader(far.chain())
    #expect(throws: CredentialError.self) { try reader.profile() }
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await reader.currentProfile().accessKey.text } }
      try await far.answer(.success(try Self.keys("A", expires: 3600)))
      for try await id in group { #expect(id == "A") }
    }
    #expect(far.fetches == 1 && reader.lastGeneration == 1)
    far.state.withLock { $0.now = 3400 }
    #expect(try await reader.currentProfile().accessKey.text == "A")
    try await far.answer(.success(try Self.keys("B", expires: 7200)))
    try await until("the new keys") { try await reader.currentProfile().accessKey.text == "B" }
    #expect(far.fetches == 2 && reader.lastGeneration == 2)
  }

  @Test func `expired keys are waited for, and a failure is told with its words`() async throws {
    let far = Far()
    let told = Mutex<[CredentialError?]>([])
    let reader = reader(far.chain()) { error in told.withLock { $0.append(error) } }
    async let first = reader.currentProfile()
    try await far.answer(.success(try Self.keys("A", expires: 100)))
    _ = try await first
    #expect(told.withLock(\.self).isEmpty)
    far.state.withLock { $0.now = 200 }
    let second = Task { try await reader.currentProfile() }
    try await far.answer(.failure(FetchFailure("STS says no", remedy: "ask it")))
    let error = await #expect(throws: CredentialError.self) { try await second.value }
    #expect(error?.description == "AWS credential chain: STS says no; ask it")
    // While it pauses, nobody waits.
    await #expect(throws: CredentialError.self) { try await reader.currentProfile() }
    #expect(!reader.hasChanged(since: reader.lastGeneration))
    #expect(far.fetches == 2 && told.withLock(\.count) == 1)
    far.state.withLock { $0.now = 202 }
    #expect(!reader.hasChanged(since: reader.lastGeneration))
    try await far.answer(.success(try Self.keys("B", expires: 3600)))
    try await until("the change to be seen") { reader.hasChanged(since: 1) }
    #expect(told.withLock { $0.count == 2 && $0[1] == nil })
  }

  @Test func `a renewal that fails while the keys are good is told once`() async throws {
    let far = Far()
    let reader = reader(far.chain())
    async let first = reader.currentProfile()
    try await far.answer(.success(try Self.keys("A", expires: 3600)))
    _ = try await first
    for now: Int64 in [3400, 3410] {
      far.state.withLock { $0.now = now }
      #expect(try await reader.currentProfile().accessKey.text == "A")
      try await far.answer(.failure(FetchFailure("no way")))
      try await until("the end of the fetch") { far.state.withLock { $0.waiting.isEmpty && !$0.notices.isEmpty } }
    }
    #expect(far.state.withLock(\.notices).count == 1)
    #expect(far.state.withLock(\.notices)[0].contains("could not be renewed yet: no way"))
  }

  @Test func `refused keys are renewed`() async throws {
    let far = Far()
    let reader = reader(far.chain())
    async let first = reader.currentProfile()
    try await far.answer(.success(try Self.keys("A", expires: 3600)))
    _ = try await first
    far.state.withLock { $0.now = 60 }
    #expect(!reader.hasChanged(since: 1))
    try await far.answer(.success(try Self.keys("B", expires: 3600)))
    try await until("other keys") { reader.hasChanged(since: 1) }
  }
}
