import Dispatch
import Jobs
import Linux
import Synchronization
import Testing
import WebPages

@testable import ControlServer

@Suite struct UserNamesTests {
  private final class Directory: Sendable {
    let asked = Mutex<[UInt32]>([])
    let answer = SteadySemaphore()
    let hangs = Atomic(false)

    func look(_ uid: UInt32) -> String {
      asked.withLock { $0.append(uid) }
      if hangs.load(ordering: .acquiring) { answer.wait() }
      return "user\(uid)"
    }
  }

  private let clock = Clock(now: { Timestamp(seconds: 1) }, steady: { Timestamp(seconds: 1) })

  @Test func cachesUserNames() async {
    let directory = Directory()
    let names = UserNames(clock: clock, look: directory.look)
    for _ in 0..<3 { #expect(await names.name(of: 7) == "user7") }
    #expect(await names.name(of: 8) == "user8")
    #expect(directory.asked.withLock { $0 } == [7, 8])
  }

  /// A directory service that hangs holds up nobody, and is not asked anew by each caller.
  @Test func slowLookupFallsBackToUID() async {
    let directory = Directory()
    directory.hangs.store(true, ordering: .releasing)
    let names = UserNames(clock: clock, patience: .milliseconds(20), look: directory.look)
    let told = await withTaskGroup(of: String.self) { group in
      for _ in 0..<4 { group.addTask { await names.name(of: 7) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(told == ["7", "7", "7", "7"])
    #expect(await names.name(of: 7) == "7")
    #expect(directory.asked.withLock { $0 } == [7])
    directory.hangs.store(false, ordering: .releasing)
    directory.answer.signal()
    // The next one waits behind the first look-up's end, and so finds the name known by then or looks again.
    let patient = UserNames(clock: clock, look: directory.look)
    #expect(await patient.name(of: 7) == "user7")
  }
}
