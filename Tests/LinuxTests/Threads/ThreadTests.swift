import ChildProcesses
import Foundation
import Glibc
import Linux
import Testing

/// An actor that says where it runs.
private actor Resident: PollThreadActor {
  nonisolated let thread: PollThread
  private var waiter: CheckedContinuation<Void, Never>?
  private(set) var wakings = 0

  init(_ thread: PollThread) { self.thread = thread }

  func begin() { thread.onWake { [weak self] in self?.assumeIsolated { $0.woke() } } }

  func identity() -> UInt { pthread_self() }

  func wait(_ arrange: @Sendable (PollThread) -> Void) async {
    await withCheckedContinuation {
      waiter = $0
      arrange(thread)
    }
  }

  private func woke() {
    wakings += 1
    waiter?.resume()
    waiter = nil
  }
}

@Suite(.bounded) struct ThreadTests {
  @Test func alarmsAndCallsWakeActor() async throws {
    let resident = Resident(try PollThread(name: "test"))
    await resident.begin()
    await resident.wait { $0.setAlarm(.now + .milliseconds(20)) }
    await resident.wait { $0.setAlarm(.now - .seconds(1)) }
    await resident.wait { $0.wake() }
    #expect(await resident.wakings == 3)
  }

  @Test func readableDescriptorWakesActor() async throws {
    let bell = try Doorbell()
    let number = bell.descriptor
    let resident = Resident(try PollThread(name: "test"))
    await resident.begin()
    bell.ring()
    await resident.wait { $0.poll(number) }
    resident.thread.poll(nil)
    #expect(await resident.wakings >= 1)
  }

  /// The signal mask of the calling thread, as the kernel shows it (proc(5)): bit 0 is signal 1.
  private static func blockedSignals() throws -> UInt64 {
    let status = try String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") })
    return try #require(UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16))
  }

  @Test func threadsAcceptOnlyFaultSignals() async throws {
    let mask = try await WorkerThreads(count: 1, name: "test").run { try Self.blockedSignals() }
    let faults: Set = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS]
    // KILL and STOP cannot be blocked; 32 and 33 are the C library's own.
    for signal in (1...31).map(Int32.init) where signal != SIGKILL && signal != SIGSTOP {
      #expect((mask >> (UInt64(signal) - 1) & 1 == 0) == faults.contains(signal), "signal \(signal)")
    }
  }

  /// The actors live until the end: a thread that has ended gives its identity to another one.
  @Test func manyActorsShareNothing() async throws {
    let residents = try (0..<8).map { _ in Resident(try PollThread(name: "test")) }
    let identities = await withTaskGroup(of: Set<UInt>.self) { group in
      for resident in residents {
        group.addTask {
          var seen: Set<UInt> = []
          for _ in 0..<200 { seen.insert(await resident.identity()) }
          return seen
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(identities.allSatisfy { $0.count == 1 })
    #expect(identities.reduce(into: Set()) { $0.formUnion($1) }.count == residents.count)
    withExtendedLifetime(residents) {}
  }

  @Test func workersRunBlockingCallsAndRethrow() async throws {
    let workers = try WorkerThreads(count: 2, name: "test")
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<500 { group.addTask { try await workers.run { index } } }
      return try await group.reduce(0, +)
    }
    #expect(sum == 124_750)
    await #expect(throws: FileError.self) {
      try await workers.run { throw FileError("read", path: "/x", errno: EIO) }
    }
  }

  @Test func longWorkLeavesOneThreadFree() async throws {
    let workers = try WorkerThreads(count: 2, name: "test")
    let began = SteadySemaphore()
    let release = SteadySemaphore()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...3 {
        group.addTask {
          try await workers.run(isLong: true) {
            began.signal()
            #expect(release.wait(atMost: .seconds(60)), "the rest has not run")
          }
        }
      }
      try await workers.run { began.wait() }
      for index in 0..<100 { #expect(try await workers.run { index } == index) }
      #expect(!began.wait(atMost: .zero), "the others of its kind wait for it")
      for _ in 1...3 { release.signal() }
      try await group.waitForAll()
      #expect(began.wait(atMost: .zero) && began.wait(atMost: .zero))
    }
  }
}
