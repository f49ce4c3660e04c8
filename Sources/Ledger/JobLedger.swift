import Failpoints
import GRDB
public import Jobs
import LinuxFiles

/// The durable record of every job: one SQLite file, one writer, group commit.
///
/// The ledger is in WAL mode with `synchronous=FULL`: what a call has returned from is on disk.
public final class JobLedger: Sendable {
  /// The ledger's file in the state directory.
  public static let fileName = LedgerFiles.name

  let writer: LedgerWriter
  let pool: DatabasePool
  let clock: Clock
  /// The ledger that was found damaged at the start and put aside, if so.
  public let setAside: LedgerSetAside?
  /// Why this is not the ledger that was last in use, in words, where it was not put in place by a restore and is whole: an
  /// older copy, or one without its log of writes.
  public let loss: String?
  /// Whether files in `.waybill` may belong to jobs that this ledger has forgotten or never knew, and answers may be lost: it
  /// is new, or an older one. Then each file keeps the id that it carries, whatever id it asks for, and nothing is sent
  /// before a person says so (``finishRecovery(by:)``).
  public let mayHaveForgotten: Bool
  private let files: LedgerFiles
  private let lock: FileLock

  init(_ opened: LedgerOpening.Opened, writer: LedgerWriter, clock: Clock, files: LedgerFiles, lock: FileLock) {
    self.writer = writer
    self.pool = opened.pool
    self.setAside = opened.setAside
    self.loss = opened.loss
    self.mayHaveForgotten = opened.mayHaveForgotten
    self.clock = clock
    self.files = files
    self.lock = lock
  }

  /// Opens the ledger of a state directory, made anew if there is none, and brings it up to this program's form. One that
  /// is damaged is put aside (``setAside``).
  ///
  /// What was in flight when the last daemon ended is queued again. `onCommit` is called from the writer's thread after
  /// each commit, in order, and must not block; so is `onProblem`, with nil once the trouble is over.
  ///
  /// - Throws: ``LedgerError`` where it cannot be used as it is; then nothing was changed.
  public static func open(
    directory: String, clock: Clock, onCommit: @escaping @Sendable (Commit) -> Void,
    onProblem: @escaping @Sendable (LedgerError?) -> Void
  ) throws(LedgerError) -> JobLedger {
    let (directory, lock) = try LedgerOpening.locked(directory)
    let files = LedgerFiles(directory: directory)
    do {
      let opened = try LedgerOpening(files: files, clock: clock).open()
      let writer = LedgerWriter(
        pool: opened.pool, memory: opened.memory, clock: clock, onCommit: onCommit,
        onProblem: { error in
          if error?.kind == .damaged { files.noteSuspicion() }
          onProblem(error)
        })
      return JobLedger(opened, writer: writer, clock: clock, files: files, lock: lock)
    } catch let error as LedgerError {
      throw error
    } catch let error as DatabaseError where error.isForWantOfSpace {
      throw LedgerError(.full, "no space for the ledger \(files.path): \(error)")
    } catch {
      throw LedgerError(.configuration, "the ledger \(files.path) cannot be opened: \(error)")
    }
  }

  /// Reads. Damage that is met ends the ledger, as it does where it is met by a write.
  func read<Value: Sendable>(_ value: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    do {
      return try await pool.read(value)
    } catch let error as DatabaseError where error.isOfDamage {
      throw writer.end(LedgerError(.damaged, "the ledger is damaged: \(error)"))
    }
  }

  /// Where the jobs stand, as of the last commit.
  public var counts: LedgerCounts { writer.counts }

  /// Whether the writer has come by since it was last asked, for the watchdog; asks it anew if so.
  public func comesBy() -> Bool { writer.comesBy() }

  /// Has changes that find the disk full refused from now on, instead of being held until there is space. For the end of
  /// the daemon.
  public func waitNoLonger() { writer.waitNoLonger() }

  /// Closes the files, with nothing left in the log of writes, by which the next start knows that this end was a clean one.
  /// A change that comes later is refused.
  public func close() throws {
    writer.close()
    do {
      // before the log is emptied: an empty log is no loss from then on
      try LedgerTrace(isOpen: false, lastEvent: counts.lastEvent).write(files)
      // the connection that is closed last is one that only reads, and would leave the log as it is
      try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY || error.isForWantOfSpace {
      // somebody makes a backup, or there is no space: the next start looks at more than it had to
    } catch let error as FileError where error.isForWantOfSpace {
      // the same
    }
    try pool.close()
    Failpoint.ledgerClosed.pass()
  }
}
