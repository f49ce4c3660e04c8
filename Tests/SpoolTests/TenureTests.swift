import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import Synchronization
import Testing

@testable import Spool

/// The time in which a shared spool is held, while its file server hangs.
@Suite(.slot, .bounded) struct TenureTests {
  /// The steps that threads have come to.
  private final class Course: Sendable {
    private let steps = Mutex<[String: Int]>([:])

    func note(_ step: String) { steps.withLock { $0[step, default: 0] += 1 } }
    func count(_ step: String) -> Int { steps.withLock { $0[step] ?? 0 } }
  }

  private func tenure(_ place: Place) throws -> Tenure {
    let claims = try Directory(path: place.path)
    let lock = try FileLock(in: claims, LockedSpool.lockName)
    return try Tenure(
      place.options(), LockHolder(host: "here", pid: 1, ledger: "ledger"), completed: nil, lock: lock, claims: claims,
      machine: .system, now: .longAgo)
  }

  /// The thread that has all transfers asks these two for each request.
  @Test func hungServerDelaysNoStateReads() async throws {
    let place = try Place()
    let tenure = try tenure(place)
    let course = Course()
    Thread.detachNewThread {
      // Ignored: it is not lost.
      try? tenure.look {
        course.note("asked")
        while course.count("answered") == 0 { usleep(1000) }
        return nil
      }
      course.note("ended")
    }
    try await until("the server to be asked") { course.count("asked") == 1 }
    Thread.detachNewThread {
      if tenure.loss == nil { course.note("known") }
      if !tenure.isFresh { course.note("known") }
    }
    try await until("others to have an answer") { course.count("known") == 2 }
    #expect(course.count("ended") == 0)
    course.note("answered")
    try await until("the answer") { course.count("ended") == 1 }
    #expect(tenure.loss == nil)
  }

  /// This host was stopped in the midst of its look, or its server was: what it saw before that may have ended.
  @Test(arguments: [false, true]) func lateAnswerCountsForNothing(isLost: Bool) throws {
    let place = try Place()
    let tenure = try tenure(place)
    let loss = LostLock("test", holder: nil, "it is another's")
    var asked = 0
    func ask() -> LostLock? {
      asked += 1
      if asked == 1 { usleep(UInt32(Tenure.interval / .microseconds(1)) + 100_000) }
      return asked > 1 && isLost ? loss : nil
    }
    if isLost {
      #expect(throws: loss) { try tenure.look(asking: ask) }
    } else {
      try tenure.look(asking: ask)
    }
    #expect(asked > 1 && tenure.isFresh != isLost)
  }

  /// The server answers well what was asked first, and lastly, and says in between that the spool is lost.
  @Test func reportedLossStays() throws {
    let place = try Place()
    let tenure = try tenure(place)
    let course = Course()
    let loss = LostLock("test", holder: nil, "it is another's")
    tenure.onLoss { _ in course.note("told") }
    #expect(throws: LostLock.self) {
      try tenure.look {
        do {
          try tenure.look { loss }
          course.note("not lost")
        } catch {
          course.note("lost")
        }
        return nil
      }
    }
    #expect(throws: LostLock.self) { try tenure.look { nil } }
    #expect(tenure.loss == loss && !tenure.isFresh)
    #expect(["told", "lost", "not lost"].map { course.count($0) } == [1, 1, 0])
  }
}
