import ChildProcesses
import Linux
import Synchronization
import Testing

@testable import Delivery

private final class Tally: Sendable {
  let looks = Atomic(0)
  /// The calls on files that have begun.
  let begun = Atomic(0)
  let losses = Mutex<[String]>([])

  func lost(_ reason: String) { losses.withLock { $0.append(reason) } }
}

/// A file server that hangs holds the calls that it was asked for, and nobody who waits for them longer than they are patient.
@Suite struct SpoolThreadsTests {
  @Test func hungCallFreesAllWaiters() async throws {
    let threads = try SpoolThreads(own: 2, on: .system)
    let server = SteadySemaphore()
    let tally = Tally()
    let hung = Task {
      // More of them than there are threads.
      await withTaskGroup(of: String.self) { group in
        for _ in 1...8 {
          group.addTask {
            do {
              try await threads.run {
                tally.begun.add(1, ordering: .relaxed)
                server.wait()
              }
              return "answered"
            } catch {
              return (error as? FileError)?.code ?? "\(error)"
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
    // A call that has not begun is dropped and hangs nowhere: both threads must be in one.
    try await until("both threads to hang") { tally.begun.load(ordering: .relaxed) == 2 }
    let held = await withTaskGroup(of: Bool.self) { group in
      for _ in 1...20 {
        group.addTask {
          await threads.look(
            on: .system, patience: .milliseconds(200), isKnown: { false }, lose: { tally.lost($0) },
            confirm: {
              tally.looks.add(1, ordering: .relaxed)
              server.wait()
            })
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(held == Array(repeating: false, count: 20))
    #expect(tally.looks.load(ordering: .relaxed) == 1, "one call serves all")
    #expect(tally.losses.withLock(\.self).first?.contains("has not answered") == true)
    #expect(await hung.value == Array(repeating: "ETIMEDOUT", count: 8))
    // As long as the calls hang, nobody makes another one.
    await #expect(throws: FileError.self) { try await threads.run {} }

    for _ in 1...8 { server.signal() }
    var isBack = false
    while !isBack { isBack = (try? await threads.run { true }) ?? false }
    var isHeld = false
    while !isHeld { isHeld = await threads.look(on: .system, isKnown: { false }, lose: { _ in }, confirm: {}) }
  }

  @Test func sharedThreadsNeverLoseHold() async throws {
    let threads = SpoolThreads(
      sharing: try WorkerThreads(count: 1, name: "test"), disposing: try WorkerThreads(count: 1, name: "test"))
    #expect(try await threads.run { 1 } == 1)
    #expect(await threads.look(on: .system, isKnown: { false }, lose: { _ in }, confirm: { throw CancellationError() }))
  }
}
