import ChildProcesses
import Foundation
import Jobs
import SQLite
import Testing

@testable import Ledger

/// A disk that is full of the ledger's own log of writes.
@Suite(.needs(.mount)) struct FullLogTests {
  /// As long as somebody reads, the log only grows. It is emptied once that has ended, although no commit succeeds any more.
  @Test func fullLogEmptiesAfterReaderLeaves() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try await Command.require(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder.path])
    let result = await Result { try await fill(folder.path) }
    try await Command.require(["umount", folder.path])
    try result.get()
  }

  private func fill(_ directory: String) async throws {
    let (problems, problem) = AsyncStream.makeStream(of: String.self)
    func open() throws -> JobLedger {
      let ledger = try JobLedger.open(directory: directory, clock: TestTime().clock)
      ledger.observe(ProblemReader(problems: problem))
      return ledger
    }
    // Its lock goes with it.
    try await {
      let before = try open()
      _ = try await before.admit((1...100).map { .sample("\($0)") })
      try await changeRows(before, to: 1000...1000)
      try before.close()
    }()
    let ledger = try open()
    let reader = try Database(path: directory + "/" + JobLedger.fileName, .reading)
    try reader.execute("BEGIN")
    #expect(try reader.value("SELECT count(*) FROM job") == 100)
    async let changed: Void = changeRows(ledger, to: 1001...2000)
    var told = problems.makeAsyncIterator()
    let full = await told.next()
    #expect(full?.hasPrefix("no space for the ledger") == true)
    try reader.execute("COMMIT")
    #expect(await told.next() == "recovered")
    try await changed
    #expect(try await ledger.pool.read { try $0.value("SELECT max(priority) FROM job") } == 2000)
    reader.close()
    try ledger.close()
  }

  /// Changes rows in their places again and again, to numbers of one size: the log grows, and the ledger's file does not.
  private func changeRows(_ ledger: JobLedger, to numbers: ClosedRange<Int>) async throws {
    for number in numbers {
      try await ledger.writer.perform { try $0.db.execute("UPDATE job SET priority = ?", [number]) }
    }
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}

private struct ProblemReader: LedgerObserver {
  let problems: AsyncStream<String>.Continuation

  func committed(_ commit: Commit) {}

  func writingFailed(_ error: LedgerError?) { problems.yield(error?.words ?? "recovered") }
}
