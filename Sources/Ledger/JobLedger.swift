import Failpoints
import Foundation
import GRDB
public import Jobs
import LinuxFiles

/// The durable record of every job: one SQLite file, one writer, group commit.
///
/// The ledger is in WAL mode with `synchronous=FULL`: what a call has returned from is on disk.
public final class JobLedger: Sendable {
  /// The ledger's file in the state directory.
  public static let fileName = "ledger.sqlite"

  let writer: LedgerWriter
  let pool: DatabasePool
  let clock: Clock
  private let lock: FileLock

  private init(writer: LedgerWriter, pool: DatabasePool, clock: Clock, lock: FileLock) {
    self.writer = writer
    self.pool = pool
    self.clock = clock
    self.lock = lock
  }

  /// Opens the ledger of a state directory, made anew if there is none, and brings it up to this program's form.
  ///
  /// What was in flight when the last daemon ended is queued again. `onCommit` is called from the writer's thread after
  /// each commit, in order, and must not block; so is `onProblem`, with nil once the trouble is over.
  ///
  /// - Throws: ``LedgerError`` where it cannot be used as it is; then nothing was changed.
  public static func open(
    directory: String, clock: Clock, onCommit: @escaping @Sendable (Commit) -> Void,
    onProblem: @escaping @Sendable (LedgerError?) -> Void
  ) throws(LedgerError) -> JobLedger {
    let lock = try locked(directory)
    let path = directory + "/" + fileName
    do {
      let pool = try openPool(path)
      try migrate(pool, path: path)
      Failpoint.ledgerMigrated.pass()
      let memory = try pool.write { db in
        try recover(db, clock)
        try CleanupRow.makeAllDue(at: clock.steady(), in: db)
        let memory = try LedgerMemory(reading: db, clock)
        try OccurrenceRow.removeOld(db, last: memory.position.lastSequence)
        Failpoint.ledgerRecovering.pass()
        return memory
      }
      Failpoint.ledgerRecovered.pass()
      let writer = LedgerWriter(pool: pool, memory: memory, clock: clock, onCommit: onCommit, onProblem: onProblem)
      return JobLedger(writer: writer, pool: pool, clock: clock, lock: lock)
    } catch let error as LedgerError {
      throw error
    } catch let error as DatabaseError where error.isForWantOfSpace {
      throw LedgerError(.full, "no space for the ledger \(path): \(error)")
    } catch {
      throw LedgerError(.configuration, "the ledger \(path) cannot be opened: \(error)")
    }
  }

  /// Where the jobs stand, as of the last commit.
  public var counts: LedgerCounts { writer.counts }

  /// Whether the writer has come by since it was last asked, for the watchdog; asks it anew if so.
  public func comesBy() -> Bool { writer.comesBy() }

  /// Has changes that find the disk full refused from now on, instead of being held until there is space. For the end of
  /// the daemon.
  public func waitNoLonger() { writer.waitNoLonger() }

  /// Closes the files. A change that comes later is refused.
  public func close() throws {
    writer.close()
    try pool.close()
    Failpoint.ledgerClosed.pass()
  }

  private static func locked(_ path: String) throws(LedgerError) -> FileLock {
    let directory: Directory
    let isRemote: Bool
    do throws(FileError) {
      directory = try Directory(path: path)
      isRemote = try directory.fileSystem().isRemote
    } catch {
      throw LedgerError(.configuration, "the ledger's directory cannot be used: \(error.words) ([daemon] state)")
    }
    if isRemote {
      throw LedgerError(
        .configuration, "\(path) is on a network file system: keep the ledger on a local disk ([daemon] state)")
    }
    return try lock(directory)
  }

  private static func lock(_ directory: Directory) throws(LedgerError) -> FileLock {
    do throws(FileLock.Refusal) {
      return try FileLock(in: directory, Array("ledger.lock".utf8))
    } catch {
      switch error {
      case .held(let pid):
        let other = pid.map { "process \($0)" } ?? "another process"
        throw LedgerError(
          .inUse, "the ledger in \(directory.path) is in use by \(other): only one waybilld may have it")
      case .failed(let error):
        throw LedgerError(.configuration, "the ledger's lock cannot be taken: \(error.words)")
      }
    }
  }

  private static func openPool(_ path: String) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.maximumReaderCount = 4
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      // KiB; a reader's cache is not needed to be large
      try db.execute(sql: "PRAGMA cache_size = -1000")
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    // DatabasePool sets its writer to NORMAL after `prepareDatabase`; a commit would then not be an fsync
    try pool.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = FULL")
      // the writer's cache holds the pages that change between two checkpoints; it is filled only under load
      try db.execute(sql: "PRAGMA cache_size = -8000")
      // pages that change at every commit are copied into the file once in so many
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
      guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
        throw LedgerError(.configuration, "SQLite refuses synchronous=FULL for \(path)")
      }
    }
    return pool
  }

  private static func migrate(_ pool: DatabasePool, path: String) throws {
    let migrator = LedgerSchema.migrator
    let (isNewer, isDone, isEmpty) = try pool.read { db in
      (
        try migrator.hasBeenSuperseded(db), try migrator.hasCompletedMigrations(db),
        try migrator.appliedMigrations(db).isEmpty
      )
    }
    if isNewer {
      throw LedgerError(
        .configuration, "the ledger \(path) was written by a newer waybilld: install that version, or a later one")
    }
    if isDone { return }
    if !isEmpty { try backUp(pool, path: path) }
    try migrator.migrate(pool)
  }

  /// Keeps the ledger as it was beside it, before a migration changes it.
  private static func backUp(_ pool: DatabasePool, path: String) throws {
    let copy = path + ".before-migration"
    if FileManager.default.fileExists(atPath: copy) { try FileManager.default.removeItem(atPath: copy) }
    try pool.backup(to: DatabaseQueue(path: copy))
  }

  /// What was in flight when the last daemon ended: its try is listed as cut, the job is queued again.
  private static func recover(_ db: Database, _ clock: Clock) throws {
    let rows = try Row.fetchAll(db, sql: "\(JobRow.select) WHERE state = 'active'")
    for row in rows {
      let job = try JobRow.job(row)
      var queued = job
      let cut = JobInput.finished(attempt: job.attempt, .cut)
      guard let transition = try queued.apply(cut, now: clock.now(), steady: clock.steady()) else { continue }
      try JobRow.update(queued, from: job, in: db)
      if let attempt = transition.attempt { try JobRow.insert(attempt, of: job.number, into: db) }
    }
  }
}
