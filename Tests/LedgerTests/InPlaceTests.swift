import ChildProcesses
import Glibc
import Jobs
import Linux
import Synchronization
import Testing

@testable import Ledger

/// Admissions that are committed by the thread that brings them.
@Suite(.aside) struct InPlaceTests {
  /// The threads on which commits were heard of, in order.
  private final class Threads: LedgerObserver {
    let all = Mutex<[UInt]>([])

    static var own: UInt { pthread_self() }

    func committed(_ commit: Commit) { all.withLock { $0.append(Self.own) } }

    func writingFailed(_ error: LedgerError?) {}
  }

  @Test func callerCommitsAtRest() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let threads = Threads()
    ledger.observe(threads)
    let caller = try PollThread(name: "caller")
    let (own, begun) = try await withTaskExecutorPreference(caller.tasks) {
      (Threads.own, try await ledger.admit([.sample("a")], begin: 1, in: both, inPlace: true))
    }
    #expect(begun.map(\.ticket.name.text) == ["a"])
    #expect(threads.all.withLock(\.self) == [own])
    #expect(try await ledger.job(.number(begun[0].number))?.state == .active)
    // nothing is left behind: the next one is committed too, in place or not
    for name in ["b", "c"] { _ = try await ledger.admit([.sample(name)], inPlace: name == "b") }
    #expect(ledger.counts.jobs[.queued] == 2)
  }

  /// Many callers at once, some of whom commit in place: each change is committed once, in one order, and everybody is answered.
  @Test func concurrentCallersAreAllAnswered() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<16 {
        group.addTask {
          for number in 0..<20 {
            let begun = try await ledger.admit(
              [.sample("\(task)-\(number)")], begin: 1, in: both, inPlace: task.isMultiple(of: 2))
            for job in begun { _ = try await ledger.finish(job, .uploaded(.sample), thenTakeIn: nil) }
          }
        }
      }
      try await group.waitForAll()
    }
    let counts = ledger.counts
    #expect(counts.jobs.byState.values.reduce(0, +) == 320)
    let sequences = box.events.map(\.sequence)
    #expect(sequences == Array(1...counts.lastEvent))
    #expect(Set(box.events.filter { $0.kind == .admitted }.map(\.job.number)).count == 320)
    // all jobs that were begun have ended their step
    #expect(counts.jobs[.active] == 0)
  }

  /// While jobs are in flight whose changes are to be expected, the writer gathers them as always.
  @Test func writerGathersUnderLoad() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let wide = Lanes(concurrency: 64, destinations: [.backend("main"), .storage("main")])
    _ = try await ledger.admit((1...16).map { .sample("\($0)") }, begin: 16, in: wide)
    #expect(ledger.counts.jobs[.active] == 16)
    let threads = Threads()
    ledger.observe(threads)
    let caller = try PollThread(name: "caller")
    let own = try await withTaskExecutorPreference(caller.tasks) {
      let own = Threads.own
      _ = try await ledger.admit([.sample("late")], inPlace: true)
      return own
    }
    #expect(threads.all.withLock(\.self).count == 1)
    #expect(threads.all.withLock(\.self) != [own])
  }

  /// A change that throws is refused in place too, and the others of its batch are kept.
  @Test func refusedAdmissionLeavesLedgerInUse() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let twice = Admission.sample("a")
    _ = try await ledger.admit([twice], inPlace: true)
    _ = try await ledger.admit([twice], inPlace: true)
    _ = try await ledger.admit([.sample("b")], inPlace: true)
    #expect(ledger.counts.jobs[.queued] == 2, "the same id again is no other job")
  }
}
