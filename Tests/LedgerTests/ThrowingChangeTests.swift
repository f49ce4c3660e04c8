import Jobs
import Linux
import SQLite
import Synchronization
import Testing

@testable import Ledger

/// A change that throws leaves nothing behind, neither on disk nor in memory, and takes no other change with it.
@Suite struct ThrowingChangeTests {
  private struct Refused: Error {}

  private let ledger: JobLedger

  init() throws { ledger = try LedgerBox().open() }

  /// Makes changes in one commit: the commit before it is held until all of them stand in line. Returns the jobs on disk when each was
  /// refused; nil for a change that was not.
  private func commit(
    _ changes: [@Sendable (inout LedgerBatch) throws -> Void]
  ) async throws -> [[Int64]?] {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let release = SteadySemaphore()
    async let held: Void = ledger.writer.perform { _ in
      begin.finish()
      release.wait()
    }
    for await _ in begun {}
    let submitted = Submitted()
    let refused = try await withThrowingTaskGroup(of: (Int, [Int64]?).self) { group in
      for (index, change) in changes.enumerated() {
        group.addTask { [ledger] in
          submitted.count.add(1, ordering: .relaxed)
          do {
            try await ledger.writer.perform(change)
            return (index, nil)
          } catch is Refused {
            return (index, try await ledger.pool.read { try $0.column("SELECT number FROM job ORDER BY number") })
          }
        }
      }
      while submitted.count.load(ordering: .relaxed) < changes.count { await Task.yield() }
      release.signal()
      return try await group.reduce(into: [Int: [Int64]?]()) { $0[$1.0] = $1.1 }
    }
    try await held
    return changes.indices.map { refused[$0] ?? nil }
  }

  private final class Submitted: Sendable {
    let count = Atomic(0)
  }

  @Test(arguments: [false, true]) func refusalWaitsForDurableReason(_ hasWritten: Bool) async throws {
    let refused = try await commit([
      { batch in try batch.admit([.sample("winner")]) },
      { batch in
        if hasWritten { try batch.admit([.sample("loser")]) }
        throw Refused()
      },
    ])
    #expect(refused == [nil, [1]])
  }

  @Test(arguments: 0..<16) func otherChangesInCommitSurvive(_ pattern: Int) async throws {
    let throwsAt = (0..<4).map { pattern & (1 << $0) != 0 }
    let refused = try await commit(
      throwsAt.enumerated().map { index, mustThrow in
        { batch in
          try batch.admit([.sample("\(index)")])
          if mustThrow { throw Refused() }
        }
      })
    #expect(refused.map { $0 != nil } == throwsAt)
    let kept = throwsAt.count { !$0 }
    #expect(ledger.counts.jobs.byState == (kept == 0 ? [:] : [.queued: kept]))
    let (jobs, events, names) = try await ledger.pool.read { db in
      (
        try db.column("SELECT number FROM job ORDER BY number") as [Int64],
        try db.value("SELECT count(*) FROM event") as Int?,
        try db.column("SELECT CAST(name AS TEXT) FROM ticket ORDER BY 1") as [String]
      )
    }
    #expect(jobs == (0..<kept).map { Int64($0 + 1) } && events == kept && ledger.counts.lastEvent == Int64(kept))
    #expect(names == throwsAt.indices.filter { !throwsAt[$0] }.map(String.init))
  }
}
