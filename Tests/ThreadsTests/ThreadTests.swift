import ChildProcesses
import Glibc
import Threads
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
  @Test func anActorStaysOnItsThread() async throws {
    let resident = Resident(try PollThread(name: "test"))
    let first = await resident.identity()
    for _ in 0..<100 { #expect(await resident.identity() == first) }
    #expect(first != pthread_self())
  }

  @Test func alarmsAndCallsWakeTheActor() async throws {
    let resident = Resident(try PollThread(name: "test"))
    await resident.begin()
    await resident.wait { $0.setAlarm(.now + .milliseconds(20)) }
    await resident.wait { $0.setAlarm(.now - .seconds(1)) }
    await resident.wait { $0.wake() }
    #expect(await resident.wakings == 3)
  }

  @Test func aReadableDescriptorWakesTheActor() async throws {
    let scratch = try Scratch()
    let inotify = try Inotify(path: scratch.path)
    _ = try inotify.watch(scratch.directory)
    let number = inotify.descriptor.number
    let resident = Resident(try PollThread(name: "test"))
    await resident.begin()
    try scratch.write("x", bytes("f"))
    await resident.wait { $0.poll(number) }
    resident.thread.poll(nil)
    let events = try inotify.read()
    #expect(events.first?.happening == .created)
    #expect(events.allSatisfy { $0.name == bytes("f") })
    #expect(events.last?.happening == .closedAfterWriting)
  }

  @Test func manyActorsShareNothing() async throws {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          guard let thread = try? PollThread(name: "test") else {
            Issue.record("no thread")
            return
          }
          let resident = Resident(thread)
          for _ in 0..<200 { _ = await resident.identity() }
        }
      }
    }
  }

  @Test func workersRunBlockingCallsAndGiveTheirErrors() async throws {
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

  @Test func longWorkLeavesOneThreadToTheRest() async throws {
    let workers = try WorkerThreads(count: 2, name: "test")
    let began = SteadySemaphore()
    let release = SteadySemaphore()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...3 {
        group.addTask {
          try await workers.run(isLong: true) {
            began.signal()
            #expect(release.wait(atMost: .seconds(60)), "the rest has not come by")
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
