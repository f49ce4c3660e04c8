import Jobs
import Linux
import SQLite
import Seams

/// Opens the files of a ledger so that it can be written.
struct LedgerOpening {
  struct Opened {
    let pool: DatabasePool
    let memory: LedgerMemory
    let setAside: LedgerSetAside?
    /// The reason in words why it is not the ledger that was last in use, if only the ledger itself shows that.
    let loss: String?
    let mayHaveForgotten: Bool
    let identity: LedgerIdentity
  }

  /// The mark that a ledger has beside its rows (`PRAGMA user_version`).
  enum Mark: Int {
    case none = 0
    /// `.waybill` may have files of jobs that the ledger does not know, and answers may be lost: it is new, or an older copy.
    case mayHaveForgotten = 1
    /// The same, and the ledger was made in place of one that was put aside.
    case replaces = 2

    static func read(_ db: Database) throws -> Mark {
      try (db.value("PRAGMA user_version") as Int?).flatMap(Mark.init(rawValue:)) ?? .none
    }

    static func set(_ mark: Mark, in db: Database) throws {
      try db.execute("PRAGMA user_version = \(mark.rawValue)")
    }
  }

  let files: LedgerFiles
  let clock: Clock
  let machine: Machine
  /// The longest wait that a job can have by the configuration.
  let longestWait: Duration
  /// The name of the machine's present boot; nil if it cannot be read.
  let boot: String?

  /// Opens the ledger; on a disk that is full to the last byte, the reserve is given up for that.
  func openWithReserve() throws -> (Opened, isReserveInUse: Bool) {
    do {
      return (try open(), false)
    } catch  where LedgerError(opening: files.path, error).kind == .full && files.giveUpReserve() > 0 {
      return (try open(), true)
    }
  }

  func open() throws -> Opened {
    // Errors of SQLite after this are not about permissions, and may pass.
    try files.requireRights()
    try files.finishRestore(now: clock.now())
    try files.rollBackCreation()
    let setAside: LedgerSetAside?
    switch try LedgerInspection(files: files, boot: boot).run() {
    case .whole: setAside = nil
    case .missing: setAside = try putAsideBefore()
    case .empty: setAside = try putAsideBefore() ?? LedgerSetAside(path: nil, reason: "it is empty")
    case .damaged(let reason): setAside = try putAside(reason)
    }
    do {
      return try open(replacing: setAside)
    } catch let error as SQLiteError where error.isOfDamage && setAside == nil {
      // SQLite reports a failed reading in the same way: it is damage if it happens again although every byte can be read.
      try files.requireReadable()
    }
    do {
      return try open(replacing: setAside)
    } catch let error as SQLiteError where error.isOfDamage {
      return try open(replacing: try putAside(error.message))
    }
  }

  private func open(replacing found: LedgerSetAside?) throws -> Opened {
    try requireOurs()
    let trace = try LedgerTrace.read(files)
    let hadLog = try files.size(LedgerFiles.name + "-wal") ?? 0 > 0
    let pool = try openPool()
    do {
      try make(pool, replaces: found?.path != nil)
      try files.remove(LedgerFiles.suspect)
      Failpoint.ledgerMade.pass()
      let mark = try pool.write(Mark.read)
      var setAside = try found ?? (mark == .replaces ? putAsideBefore() : nil)
      let before = [try setAside?.path.flatMap { try LedgerFiles.salvage($0, LedgerIdentity.read) }, trace?.identity]
        .compactMap(\.self)
      let opened = try pool.write { db in
        try db.transaction(.immediate) { () throws -> Opened in
          try setAside?.last?.keep(in: db)
          if let path = setAside?.path { try StoppedJobs.salvage(from: path, into: db) }
          let last = try LastNumbers.read(db).events
          try requeueActive(db)
          try CleanupRow.makeAllDue(at: clock.steady(), in: db)
          try CarriedTimes.carry(to: clock.steady(), longest: longestWait, in: db)
          let loss = mark == .none ? trace?.loss(last, hadLog: hadLog) : nil
          if mark != .none || loss != nil { try JobRow.distrustUploads(in: db) }
          var memory = try LedgerMemory(reading: db, at: clock.steady())
          if memory.position.counts.jobs.unfinished != memory.unfinished {
            // a damaged row does not say that its job is unfinished
            for state in JobState.allCases where !state.isTerminal {
              try db.execute(
                "UPDATE job SET presence = ? WHERE state = ?", [FilePresence.unfinished.rawValue, state.rawValue])
            }
            try requeueActive(db)
            memory = try LedgerMemory(reading: db, at: clock.steady())
          }
          try EventRow.removeOld(db, last: memory.position.counts.lastEvent)
          if loss != nil { try Mark.set(.mayHaveForgotten, in: db) }
          let identity = try LedgerIdentity.settle(
            in: db, at: clock.now(), goesOn: mark == .none && loss == nil, after: before)
          setAside?.stopped = try StoppedJobs.count(db)
          Failpoint.ledgerRecovering.pass()
          return Opened(
            pool: pool, memory: memory, setAside: setAside, loss: loss, mayHaveForgotten: mark != .none || loss != nil,
            identity: identity)
        }
      }
      Failpoint.ledgerRecovered.pass()
      try leaveTrace(opened)
      return opened
    } catch {
      pool.close()
      throw error
    }
  }

  /// Queues the jobs again that were in flight when the last daemon ended: their attempts are listed as cut.
  private func requeueActive(_ db: Database) throws {
    let active = "\(JobRow.select) WHERE \(LedgerSchema.Condition.unfinished) AND job.state = 'active'"
    var sequence = try LastNumbers.read(db).events
    for job in try db.all(active, [], JobRow.job) {
      var queued = job
      let cut = JobInput.finished(attempt: job.attempt, .cut)
      guard let transition = try queued.apply(cut, now: clock.now(), steady: clock.steady()) else { continue }
      if let attempt = transition.attempt {
        sequence += 1
        queued.lastEvent = sequence
        try EventRow.insert(nil, endOf: attempt, of: queued, after: job.lastEvent, into: db)
      }
      try JobRow.update(queued, from: job, in: db)
    }
  }

  /// Refuses a database that this program does not read. Only reads, because a connection that writes puts its mark on the file.
  private func requireOurs() throws {
    guard try files.size(LedgerFiles.name) ?? 0 > 0 else { return }
    let db = try Database(path: files.path, .reading)
    defer { db.close() }
    guard let refusal = try LedgerSchema.refusal(of: db) else { return }
    throw LedgerError(.configuration, "the ledger \(files.path) \(refusal)")
  }

  private func putAside(_ reason: String) throws -> LedgerSetAside {
    try salvaged(from: try files.setAside(as: LedgerFiles.damaged, now: clock.now()), reason)
  }

  /// Returns the ledger that an earlier start put aside, if that start did not finish the new one: only the old ledger has some facts.
  private func putAsideBefore() throws -> LedgerSetAside? {
    try files.lastSetAside(as: LedgerFiles.damaged).map { try salvaged(from: $0, "found by an earlier start") }
  }

  private func salvaged(from path: String, _ reason: String) throws -> LedgerSetAside {
    LedgerSetAside(path: path, reason: reason, last: try LastNumbers.salvaged(from: path))
  }

  /// Notes that the ledger is open, once its log of writes has content: from then on an empty log means a loss. On a full disk it
  /// writes nothing.
  private func leaveTrace(_ opened: Opened) throws {
    do {
      try opened.pool.write { db in try db.transaction(.immediate) { try Mark.set(Mark.read(db), in: db) } }
      let last = opened.memory.position.counts.lastEvent
      try LedgerTrace(isOpen: true, lastEvent: last, identity: opened.identity, place: files.place(boot))
        .write(files)
    } catch  where LedgerError.isForWantOfSpace(error) {
      // the next start checks more than necessary
    }
  }

  private func openPool() throws -> DatabasePool {
    let level = Sync.ledger.isDone ? 2 : 0
    return try DatabasePool(path: files.path, on: machine) { db in
      try db.execute("PRAGMA synchronous = \(level)")
      // the writer's cache holds the pages that change between two checkpoints; it is filled only under load
      try db.execute("PRAGMA cache_size = -3000")
      // pages that change at every commit are copied into the file only now and then
      try db.execute(script: "PRAGMA wal_autocheckpoint = 4000")
      guard try db.value("PRAGMA synchronous") == level else {
        throw LedgerError(.configuration, "SQLite refuses synchronous=FULL for \(files.path)")
      }
    }
  }

  private func make(_ pool: DatabasePool, replaces: Bool) throws {
    try pool.write { db in
      guard try LedgerSchema.form(of: db) == nil else { return }
      try Mark.set(replaces ? .replaces : .mayHaveForgotten, in: db)
      try LedgerSchema.make(in: db)
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
      throw LedgerError(
        error.mayPass ? .unavailable : .configuration,
        "the ledger's directory cannot be used: \(error.wordsWithRemedy) ([daemon] state)")
    }
    if isRemote {
      throw LedgerError(
        .configuration, "\(path) is on a network file system: keep the ledger on a local disk ([daemon] state)")
    }
    do throws(FileLock.Refusal) {
      return (directory, try FileLock(in: directory, Array("ledger.lock".utf8)))
    } catch {
      switch error {
      case .held(let pid):
        let other = pid.map { "process \($0)" } ?? "another process"
        throw LedgerError(
          .inUse, "the ledger in \(directory.path) is in use by \(other): only one waybilld may have it")
      case .failed(let error):
        throw LedgerError(
          error.mayPass ? .unavailable : .configuration,
          "the ledger's lock cannot be taken: \(error.wordsWithRemedy)")
      }
    }
  }
}
