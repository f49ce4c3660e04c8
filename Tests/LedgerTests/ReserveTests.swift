import ChildProcesses
import Foundation
import Jobs
import MessageLiterals
import SQLite
import Synchronization
import Testing

@testable import Ledger

/// A disk that is full to the last byte, by others or by the ledger's log of writes: what is registered can be committed, so that its
/// files may go.
@Suite(.needs(.mount)) struct ReserveTests {
  private static let registered = AttemptResult.registered(.sample)

  private func withDisk(_ size: String, _ body: (String) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    try await Command.require(["mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder.path])
    do {
      try await body(folder.path)
    } catch {
      try await Command.require(["umount", "--lazy", folder.path])
      throw error
    }
    try await Command.require(["umount", "--lazy", folder.path])
  }

  private func open(_ directory: String, _ told: Told) throws -> JobLedger {
    let ledger = try JobLedger.open(directory: directory, clock: TestTime().clock)
    ledger.observe(told)
    return ledger
  }

  private func reserve(_ directory: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: directory + "/" + LedgerFiles.reserve))?[.size] as? Int
  }

  private func fill(_ directory: String) async throws -> String {
    let filler = directory + "/filler"
    _ = try await Command.run(["dd", "if=/dev/zero", "of=\(filler)", "bs=4096"])
    return filler
  }

  private func upload(_ count: Int, _ ledger: JobLedger) async throws -> [Job] {
    let jobs = try await ledger.admit((1...count).map { .sample("\($0)") }, begin: count, in: both)
    var next: [Job] = []
    for job in jobs {
      next += [try await ledger.finish(job, .uploaded(.sample), thenTakeIn: both).next].compactMap(\.self)
    }
    return next
  }

  /// All of what was written last is in the log of writes, and the ledger's file has to grow for it.
  @Test func fullDiskTakesWhatIsRegistered() async throws {
    try await withDisk("16m") { directory in
      let told = Told()
      let ledger = try open(directory, told)
      #expect(reserve(directory).map { (1 << 20...4 << 20).contains($0) } == true)
      let jobs = try await upload(40, ledger)
      let filler = try await fill(directory)
      for job in jobs { _ = try await ledger.finish(job, Self.registered, thenTakeIn: nil) }
      #expect(ledger.counts.jobs[.registered] == 40)
      #expect(reserve(directory) == nil)
      #expect(told.words.count == 1)
      #expect(told.words.first?.hasPrefix("no space for the ledger") == true)
      #expect(told.words.first?.hasSuffix("its reserve is in use") == true)
      try FileManager.default.removeItem(atPath: filler)
      await told.recovers()
      #expect(reserve(directory) != nil && told.words.count == 2)
      try ledger.close()
    }
  }

  /// A start finds the disk full, and what it has to write goes into the reserve's place.
  @Test func startOnAFullDiskUsesTheReserve() async throws {
    try await withDisk("16m") { directory in
      let told = Told()
      try await {
        let before = try open(directory, told)
        _ = try await upload(50, before)
        try before.close()
      }()
      #expect(reserve(directory) != nil)
      let filler = try await fill(directory)
      let ledger = try open(directory, told)
      #expect(ledger.counts.jobs[.queued] == 50)
      let jobs = try await ledger.beginDue(upTo: 50, in: both)
      for job in jobs { _ = try await ledger.finish(job, Self.registered, thenTakeIn: nil) }
      #expect(ledger.counts.jobs[.registered] == 50 && told.words.count <= 1)
      try FileManager.default.removeItem(atPath: filler)
      await told.recovers()
      try ledger.close()
      #expect(reserve(directory) != nil)
    }
  }

  @Test(arguments: [("1m", false), ("4m", true), ("64m", true)])
  func reserveLeavesTheDiskToOthers(_ size: String, _ isThere: Bool) async throws {
    try await withDisk(size) { directory in
      let ledger = try open(directory, Told())
      #expect((reserve(directory) != nil) == isThere)
      #expect(reserve(directory) ?? 0 <= 4 << 20)
      try ledger.close()
    }
  }

  /// As long as somebody reads, the log of writes only grows. It is emptied once that has ended, although no commit succeeds any more.
  @Test func fullLogEmptiesAfterReaderLeaves() async throws {
    try await withDisk("3m") { directory in
      let told = Told()
      // Its lock goes with it.
      try await {
        let before = try open(directory, told)
        _ = try await before.admit((1...100).map { .sample("\($0)") })
        try await changeRows(before, to: 1000...1000)
        try before.close()
      }()
      let ledger = try open(directory, told)
      let reader = try Database(path: directory + "/" + JobLedger.fileName, .reading)
      try reader.execute("BEGIN")
      #expect(try reader.value("SELECT count(*) FROM job") == 100)
      async let changed: Void = changeRows(ledger, to: 1001...2000)
      await told.isTold()
      #expect(told.words.first?.hasPrefix("no space for the ledger") == true)
      try reader.execute("COMMIT")
      await told.recovers()
      try await changed
      #expect(try await ledger.pool.read { try $0.value("SELECT max(priority) FROM job") } == 2000)
      reader.close()
      try ledger.close()
    }
  }

  /// Changes rows in their places again and again, to numbers of one size: the log grows, and the ledger's file does not.
  private func changeRows(_ ledger: JobLedger, to numbers: ClosedRange<Int>) async throws {
    for number in numbers {
      try await ledger.writer.perform { try $0.db.execute("UPDATE job SET priority = ?", [number]) }
    }
  }
}

private final class Told: LedgerObserver {
  private let problems = Mutex<[String]>([])
  private let (recovered, recover) = AsyncStream.makeStream(of: Void.self)
  private let (full, tell) = AsyncStream.makeStream(of: Void.self)

  var words: [String] { problems.withLock(\.self) }

  func isTold() async { for await _ in full { return } }

  /// Returns once there is no trouble, at once if there was none.
  func recovers() async {
    if words.isEmpty { return }
    for await _ in recovered { return }
  }

  func committed(_ commit: Commit) {}

  func writingFailed(_ error: LedgerError?) {
    problems.withLock { $0.append(error?.words ?? "recovered") }
    if error == nil { recover.yield() } else { tell.yield() }
  }
}
