package import Jobs
package import Linux
import SQLite
import Seams

/// The durable record of every job: one SQLite file, one writer, group commit.
/// The ledger is in WAL mode with `synchronous=FULL`: when a call returns, its change is on disk.
package final class JobLedger: Sendable {
  package static let fileName = LedgerFiles.name

  let writer: LedgerWriter
  let pool: DatabasePool
  let clock: Clock
  /// The ledger that was found damaged at the start and put aside; nil if there was none.
  package let setAside: LedgerSetAside?
  /// The reason in words why this is not the ledger that was last in use: it is an older copy, or one without its log of writes. Nil if
  /// it is the same ledger, or if a restore put it in place.
  package let loss: String?
  /// True if files in `.waybill` may belong to jobs that this ledger has forgotten or never knew, and answers may be lost: it is a new
  /// or an older ledger. Then each file keeps the id that it carries, not the one that it requests, and nothing is sent before a person
  /// allows it (``finishRecovery(by:isLate:holds:isWhole:)``).
  package let mayHaveForgotten: Bool
  package let identity: LedgerIdentity
  let files: LedgerFiles
  private let lock: FileLock

  init(_ opened: LedgerOpening.Opened, writer: LedgerWriter, clock: Clock, files: LedgerFiles, lock: FileLock) {
    self.writer = writer
    self.pool = opened.pool
    self.setAside = opened.setAside
    self.loss = opened.loss
    self.mayHaveForgotten = opened.mayHaveForgotten
    self.identity = opened.identity
    self.clock = clock
    self.files = files
    self.lock = lock
  }

  /// Opens the ledger of a state directory and brings it up to this program's form; creates it if there is none. A damaged
  /// ledger is put aside (``setAside``).
  /// Jobs that were in flight when the last daemon ended are queued again. No job waits for longer than `longestWait` from now on.
  /// `boot`: the name of the machine's present boot; nil if it is not known, and then each unclean end may have been a power cut.
  package static func open(
    directory: String, clock: Clock, on machine: Machine = .system, longestWait: Duration = RetryPolicy.longestWait,
    boot: String? = nil
  ) throws(LedgerError) -> JobLedger {
    let (directory, lock) = try LedgerOpening.locked(directory)
    let files = LedgerFiles(directory: directory)
    do {
      let opening = LedgerOpening(files: files, clock: clock, machine: machine, longestWait: longestWait, boot: boot)
      let (opened, isReserveInUse) = try opening.openWithReserve()
      let writer = try LedgerWriter(
        pool: opened.pool, memory: opened.memory, files: files, isReserveInUse: isReserveInUse, clock: clock,
        on: machine)
      return JobLedger(opened, writer: writer, clock: clock, files: files, lock: lock)
    } catch {
      throw LedgerError(opening: files.path, error)
    }
  }

  /// Reads a value. Damage ends the ledger, whether a read or a write meets it.
  func read<Value: Sendable>(_ value: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    do {
      return try await pool.read(value)
    } catch let error as SQLiteError where error.isOfDamage {
      throw writer.end(for: error)
    }
  }

  /// The same on the calling thread, which waits.
  func readNow<Value: Sendable>(_ value: @Sendable (Database) throws -> Value) throws -> Value {
    do {
      return try pool.readNow(value)
    } catch let error as SQLiteError where error.isOfDamage {
      throw writer.end(for: error)
    }
  }

  /// Makes an observer hear of each commit from now on, until the ledger is closed. Nothing is committed before somebody makes a change.
  package func observe(_ observer: any LedgerObserver) { writer.observe(observer) }

  package var counts: LedgerCounts { writer.counts }

  /// Returns one of the counts, without a copy of all. The writer waits meanwhile.
  package func withCounts<Value>(_ body: (borrowing LedgerCounts) -> Value) -> Value { writer.withCounts(body) }

  /// Returns true if the writer has responded since the last call, for the watchdog; if so, asks it again.
  package func makesProgress() -> Bool { writer.makesProgress() }

  /// True while a commit waits for space on the disk. Callers that wait for the commit do not hang.
  package var isStalled: Bool { writer.isStalled }

  /// Gives back memory of the writer that is only used under load: unchanged pages of SQLite's cache.
  package func releaseMemory() { writer.releaseMemory() }

  /// From now on refuses changes that find the disk full, instead of holding them until there is space. For the end of the
  /// daemon.
  package func waitNoLonger() { writer.waitNoLonger() }

  /// Closes the files with an empty log of writes, which shows the next start that the end was clean. A change that comes later is
  /// refused.
  package func close() throws {
    writer.close()
    do {
      // before the log is emptied: an empty log is no loss from then on
      try LedgerTrace(isOpen: false, lastEvent: counts.lastEvent, identity: identity).write(files)
      // closing keeps the log as it is (`keepWriteAheadLog`)
      try pool.write { db in
        try CarriedTimes.note(clock.steady(), in: db)
        try db.emptyWriteAheadLog()
      }
    } catch let error as SQLiteError where error.isBusy {
      // a backup is being made: the next start checks more than necessary
    } catch  where LedgerError.isForWantOfSpace(error) {
      // the same
    }
    pool.close()
    writer.observe(nil)
    Failpoint.ledgerClosed.pass()
  }
}
