import Failpoints
import GRDB
import Jobs
import LinuxFiles
import StatementValues

/// Opens the files of a ledger so that it can be written.
struct LedgerOpening {
  /// The result of an opening.
  struct Opened {
    let pool: DatabasePool
    let memory: LedgerMemory
    let setAside: LedgerSetAside?
    /// The reason in words why it is not the ledger that was last in use, if only the ledger itself shows that.
    let loss: String?
    let mayHaveForgotten: Bool
  }

  /// The mark that a ledger has beside its rows (`PRAGMA user_version`).
  enum Mark: Int {
    case none = 0
    /// There may be files in `.waybill` of jobs that it does not know, and answers that it has not heard: it is new, or an
    /// older copy.
    case mayHaveForgotten = 1
    /// The same, and it was made in place of a ledger that was put aside.
    case replaces = 2

    static func read(_ db: Database) throws -> Mark {
      try Int.fetchOne(db, sql: "PRAGMA user_version").flatMap(Mark.init(rawValue:)) ?? .none
    }

    static func set(_ mark: Mark, in db: Database) throws {
      try db.execute(sql: "PRAGMA user_version = \(mark.rawValue)")
    }
  }

  let files: LedgerFiles
  let clock: Clock

  /// - Throws: ``LedgerError``, or the error of SQLite or the files.
  func open() throws -> Opened {
    try files.finishRestore()
    let setAside: LedgerSetAside?
    switch try LedgerInspection(files: files).run() {
    case .whole: setAside = nil
    case .missing: setAside = try putAsideBefore()
    case .empty: setAside = try putAsideBefore() ?? LedgerSetAside(path: nil, reason: "it is empty")
    case .damaged(let reason): setAside = try putAside(reason)
    }
    do {
      return try open(replacing: setAside)
    } catch let error as DatabaseError where error.isOfDamage && setAside == nil {
      return try open(replacing: try putAside(error.message ?? "\(error.resultCode)"))
    }
  }

  private func open(replacing found: LedgerSetAside?) throws -> Opened {
    let trace = LedgerTrace.read(files)
    let hadLog = try files.size(LedgerFiles.name + "-wal") ?? 0 > 0
    let pool = try openPool()
    do {
      try migrate(pool, replaces: found?.path != nil)
      try files.remove(LedgerFiles.suspect)
      Failpoint.ledgerMigrated.pass()
      let mark = try pool.read { db in try Mark.read(db) }
      var setAside = try found ?? (mark == .replaces ? putAsideBefore() : nil)
      let (memory, loss, stopped) = try pool.write { db in
        try setAside?.last?.keep(in: db)
        if let path = setAside?.path { try StoppedJobs.salvage(from: path, into: db) }
        try recover(db)
        try CleanupRow.makeAllDue(at: clock.steady(), in: db)
        let memory = try LedgerMemory(reading: db, clock)
        try OccurrenceRow.removeOld(db, last: memory.position.lastSequence)
        let loss = mark == .none ? trace?.loss(memory.position.lastSequence, hadLog: hadLog) : nil
        if loss != nil { try Mark.set(.mayHaveForgotten, in: db) }
        Failpoint.ledgerRecovering.pass()
        return (memory, loss, try StoppedJobs.count(db))
      }
      setAside?.stopped = stopped
      Failpoint.ledgerRecovered.pass()
      try leaveTrace(pool, memory)
      return Opened(
        pool: pool, memory: memory, setAside: setAside, loss: loss, mayHaveForgotten: mark != .none || loss != nil)
    } catch {
      try? pool.close()  // the error that counts is the first one
      throw error
    }
  }

  private func putAside(_ reason: String) throws -> LedgerSetAside {
    salvaged(from: try files.setAside(as: LedgerFiles.damaged, now: clock.now()), reason)
  }

  /// Returns the ledger that an earlier start put aside, if that start did not finish making the new one. So what only the old
  /// ledger could tell is not lost.
  private func putAsideBefore() throws -> LedgerSetAside? {
    try files.lastSetAside(as: LedgerFiles.damaged).map { salvaged(from: $0, "found by an earlier start") }
  }

  private func salvaged(from path: String, _ reason: String) -> LedgerSetAside {
    LedgerSetAside(path: path, reason: reason, last: LastNumbers.salvaged(from: path))
  }

  /// Writes that the ledger is open, once its log of writes has content: an empty log then is one that was lost. On a full disk
  /// it writes nothing.
  private func leaveTrace(_ pool: DatabasePool, _ memory: LedgerMemory) throws {
    do {
      try pool.write { db in try Mark.set(Mark.read(db), in: db) }
      try LedgerTrace(isOpen: true, lastEvent: memory.position.lastSequence).write(files)
    } catch let error as DatabaseError where error.isForWantOfSpace {
      return
    } catch let error as FileError where error.isForWantOfSpace {
      return
    }
  }

  private func openPool() throws -> DatabasePool {
    var configuration = Configuration()
    configuration.maximumReaderCount = 4
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      // The writer keeps some sixty statements, and each of its steps asks for memory.
      if !db.configuration.readonly { try db.reserveSmallAllocations(400) }
      // in KiB; a reader's cache need not be large
      try db.execute(sql: "PRAGMA cache_size = -1000")
    }
    let pool = try DatabasePool(path: files.path, configuration: configuration)
    // DatabasePool sets its writer to NORMAL after `prepareDatabase`; a commit would then not be an fsync
    let level = Sync.ledger.isDone ? 2 : 0
    try pool.writeWithoutTransaction { db in
      try db.keepWriteAheadLog()
      try db.execute(sql: "PRAGMA synchronous = \(level)")
      // the writer's cache holds the pages that change between two checkpoints; it is filled only under load
      try db.execute(sql: "PRAGMA cache_size = -6000")
      // pages that change at every commit are copied into the file only now and then
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
      guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == level else {
        throw LedgerError(.configuration, "SQLite refuses synchronous=FULL for \(files.path)")
      }
    }
    return pool
  }

  private func migrate(_ pool: DatabasePool, replaces: Bool) throws {
    let migrator = LedgerSchema.migrator
    let (isNewer, isDone, isEmpty) = try pool.read { db in
      (
        try migrator.hasBeenSuperseded(db), try migrator.hasCompletedMigrations(db),
        try migrator.appliedMigrations(db).isEmpty
      )
    }
    if isNewer {
      throw LedgerError(
        .configuration,
        "the ledger \(files.path) was written by a newer waybilld: install that version, or a later one")
    }
    if isDone { return }
    if isEmpty {
      try pool.writeWithoutTransaction { db in try Mark.set(replaces ? .replaces : .mayHaveForgotten, in: db) }
    } else {
      // a copy beside it, made before it is changed
      try LedgerCopy.make(
        of: files.path, in: files.directory, as: LedgerFiles.name + ".before-migration", replacing: true)
    }
    try migrator.migrate(pool)
  }

  /// Ends the jobs that were in flight when the last daemon ended: their try is listed as cut, and they are queued again.
  private func recover(_ db: Database) throws {
    let rows = try Row.fetchAll(db, sql: "\(JobRow.select) WHERE state = 'active'")
    for row in rows {
      let job = try JobRow.job(row)
      var queued = job
      let cut = JobInput.finished(attempt: job.attempt, .cut)
      guard let transition = try queued.apply(cut, now: clock.now(), steady: clock.steady()) else { continue }
      try JobRow.update(queued, from: job, in: db)
      if let attempt = transition.attempt { try AttemptRow.insert(attempt, of: job.number, into: db) }
    }
  }
}

extension LedgerOpening {
  /// Returns the state directory, and the lock that gives its ledger to one program alone.
  static func locked(_ path: String) throws(LedgerError) -> (Directory, FileLock) {
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
    return (directory, try lock(directory))
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
}
