import Jobs
import Linux
import SQLite
import Synchronization
import Testing

@testable import Ledger

/// A change that throws leaves nothing behind, neither on disk nor in memory, and takes no other change with it.
@Suite struct ThrowingChangeTests {
  private struct Refused: Error {}

  private final class Submitted: Sendable {
    let count = Atomic(0)
  }

  /// The state of a ledger as far as changes can touch it.
  private struct Picture: Equatable {
    let jobs: [Int64]
    let events: Int?
    let counts: [JobState: Int]
    let lastEvent: Int64
  }

  private func picture(_ ledger: JobLedger) async throws -> Picture {
    let (jobs, events) = try await ledger.pool.read { db in
      (
        try db.column("SELECT number FROM job ORDER BY number") as [Int64],
        try db.value("SELECT count(*) FROM event") as Int?
      )
    }
    return Picture(
      jobs: jobs, events: events, counts: ledger.counts.jobs.byState, lastEvent: ledger.counts.lastEvent)
  }

  /// A caller that is refused for what another one did finds that done.
  @Test(arguments: [false, true]) func refusalWaitsForDurableReason(_ hasWritten: Bool) async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let release = SteadySemaphore()
    async let held: Void = ledger.writer.perform { _ in
      begin.finish()
      release.wait()
    }
    for await _ in begun {}
    let submitted = Submitted()
    let seen = try await withThrowingTaskGroup(of: [Int64]?.self) { group in
      group.addTask {
        submitted.count.add(1, ordering: .relaxed)
        try await ledger.writer.perform { batch in try batch.admit([.sample("winner")]) }
        return nil
      }
      group.addTask {
        submitted.count.add(1, ordering: .relaxed)
        do {
          try await ledger.writer.perform { batch in
            if hasWritten { try batch.admit([.sample("loser")]) }
            throw Refused()
          }
          return nil
        } catch is Refused {
          return try await ledger.pool.read { try $0.column("SELECT number FROM job") as [Int64] }
        }
      }
      while submitted.count.load(ordering: .relaxed) < 2 { await Task.yield() }
      release.signal()
      return try await group.reduce(into: [[Int64]]()) { if let numbers = $1 { $0.append(numbers) } }
    }
    try await held
    #expect(seen == [[1]])
  }

  /// All orders of changes that throw and changes that do not, in one commit.
  @Test(arguments: 0..<16) func otherChangesInCommitSurvive(_ pattern: Int) async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let throwsAt = (0..<4).map { pattern & (1 << $0) != 0 }
    // The first commit is held until all changes stand in line behind it.
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let release = SteadySemaphore()
    async let first: Void = ledger.writer.perform { _ in
      begin.finish()
      release.wait()
    }
    for await _ in begun {}
    let submitted = Submitted()
    let results = await withTaskGroup(of: (Int, Bool).self) { group in
      for (index, mustThrow) in throwsAt.enumerated() {
        group.addTask {
          submitted.count.add(1, ordering: .relaxed)
          do {
            try await ledger.writer.perform { batch in
              try batch.admit([.sample("\(index)")])
              if mustThrow { throw Refused() }
            }
            return (index, true)
          } catch {
            return (index, false)
          }
        }
      }
      while submitted.count.load(ordering: .relaxed) < 4 { await Task.yield() }
      release.signal()
      return await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
    }
    _ = try await first
    #expect((0..<4).map { results[$0] } == throwsAt.map { !$0 })
    let kept = throwsAt.filter { !$0 }.count
    let picture = try await picture(ledger)
    #expect(picture.jobs == (0..<kept).map { Int64($0 + 1) } && picture.events == kept)
    #expect(picture.counts == (kept == 0 ? [:] : [.queued: kept]))
    let names = try await ledger.pool.read {
      try $0.column("SELECT CAST(name AS TEXT) FROM ticket ORDER BY 1") as [String]
    }
    #expect(names == throwsAt.indices.filter { !throwsAt[$0] }.map(String.init))
  }
}
