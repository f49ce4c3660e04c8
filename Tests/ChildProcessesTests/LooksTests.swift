import ChildProcesses
import Synchronization
import Testing

/// The waits between the looks of `until`.
struct LooksTests {
  /// A watch that is content with little, and counts.
  private final class Bell: Watch {
    private let waits = Mutex(0)
    private let tells: Bool

    init(tells: Bool = true) { self.tells = tells }

    var count: Int { waits.withLock { $0 } }

    func news(within limit: Duration) async -> Bool {
      waits.withLock { $0 += 1 }
      return tells
    }
  }

  /// Looks three times.
  private func until(_ pause: Duration, _ look: (Int) throws -> Void) async throws {
    var looks = 0
    try await ChildProcesses.until("the third look", every: pause) {
      looks += 1
      try look(looks)
      return looks == 3
    }
  }

  @Test func waitsForNewsWithoutPausing() async throws {
    let bell = Bell()
    try await until(.seconds(3600)) { _ in Looks.look(at: "bell") { bell } }
    #expect(bell.count == 2)
  }

  @Test func lookKeepsWatchWhileSawReplaces() async throws {
    let bells = [Bell(), Bell(), Bell()]
    try await until(.seconds(3600)) { look in Looks.look(at: "bell") { bells[look - 1] } }
    #expect(bells.map(\.count) == [2, 0, 0])
    try await until(.seconds(3600)) { look in Looks.saw("bell", bells[look - 1]) }
    #expect(bells.map(\.count) == [3, 1, 0])
  }

  @Test func pausesWithoutUsableWatch() async throws {
    let (one, other, mute) = (Bell(), Bell(), Bell(tells: false))
    try await until(.milliseconds(1)) { _ in
      Looks.look(at: "one") { one }
      Looks.look(at: "other") { other }
    }
    try await until(.milliseconds(1)) { _ in
      Looks.look(at: "one") { one }
      Looks.lookAtSomethingMute()
    }
    #expect(one.count == 0 && other.count == 0)
    try await until(.milliseconds(1)) { _ in Looks.look(at: "mute") { mute } }
    #expect(mute.count == 2)
    // What one look looked at is not what the next one does.
    try await until(.milliseconds(1)) { look in if look == 1 { Looks.look(at: "one") { one } } }
    #expect(one.count == 1)
  }

  private struct Passing: PassingTrouble {}
  private struct Lasting: Error {}

  @Test func retriesPassingErrorsOnly() async throws {
    try await until(.milliseconds(1)) { look in if look < 3 { throw Passing() } }
    await #expect(throws: Lasting.self) { try await until(.milliseconds(1)) { _ in throw Lasting() } }
    let error = await #expect(throws: TimedOut.self) {
      try await ChildProcesses.until("nothing", within: .zero) { throw Passing() }
    }
    #expect(error?.description.contains("Passing") == true)
  }
}
