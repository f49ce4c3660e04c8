import Glibc
package import Jobs
import Linux
import Messages
import SQLite
import Seams

/// Makes backup copies of a ledger, and restores one.
package enum LedgerBackup {
  /// Makes a consistent copy of a ledger, which may be in use: mode 0600, durable on return, replacing nothing.
  package static func make(ofLedgerIn state: String, to target: String) throws {
    let (directory, name) = try split(target)
    guard try LedgerFiles(directory: directory).size(name) == nil else {
      throw FileError("write", path: target, errno: EEXIST, advice: .backupReplacesNothing)
    }
    let ledger = LedgerCheck.path(in: state)
    if let fault = try LedgerCheck(path: ledger).logFault() {
      throw LedgerError(.damaged, "\(ledger) is damaged: \(fault)")
    }
    do {
      try copy(ledger, into: directory, as: name)
    } catch let error as SQLiteError where error.isOfDamage {
      throw LedgerError(.damaged, "\(ledger) is damaged, or its disk fails: \(error.message)")
    } catch let error as SQLiteError {
      throw LedgerError(error.isForWantOfSpace ? .full : .broken, "\(ledger) cannot be copied to \(target): \(error)")
    }
  }

  /// Writes a copy under a temporary name, makes it durable, and gives it its name: it is there completely or not at all.
  /// VACUUM INTO reads one state of the ledger, however long it takes, and leaves no log of writes.
  private static func copy(_ ledger: String, into directory: Directory, as name: String) throws {
    let temporary = Array(".\(name).\(UInt64.random(in: .min ... .max))".utf8)
    let path = "\(directory.path)/\(String(decoding: temporary, as: UTF8.self))"
    let file = try directory.create(temporary, permissions: 0o600)
    do {
      try copy(ledger, into: path)
      // so that a daemon that uses the copy as its ledger knows that answers may be lost
      try edit(path) { db in try LedgerOpening.Mark.set(.mayHaveForgotten, in: db) }
      try file.sync(.backupFile, path: path)
      try directory.rename(temporary, into: directory, as: Array(name.utf8))
      try directory.sync(.backupEntry)
    } catch {
      try directory.removeIfThere(temporary)
      throw error
    }
  }

  /// Copies a ledger with its log of writes into an empty file, which the caller makes durable.
  private static func copy(_ ledger: String, into path: String) throws {
    let db = try Database(path: ledger, .reading)
    defer { db.close() }
    try db.execute("PRAGMA synchronous = OFF")
    try db.execute("VACUUM INTO ?", [path])
  }

  /// Changes a copy, which the caller makes durable.
  private static func edit<Value>(_ path: String, _ body: (Database) throws -> Value) throws -> Value {
    let db = try Database(path: path)
    try db.execute("PRAGMA synchronous = OFF")
    let value = try body(db)
    db.close()
    return value
  }

  package struct Restored: Sendable {
    /// The path of the ledger that was there before; nil if there was none.
    package let previous: String?
    package let jobs: Int
    /// The number of jobs that stay stopped, by the record of the earlier ledger.
    package let stopped: Int
  }

  /// Puts a backup in place of the ledger, which is kept under a name with the date. No daemon may have it open. Durable on return.
  package static func restore(_ backup: String, ofLedgerIn state: String, now: Timestamp) throws -> Restored {
    let (directory, lock) = try LedgerOpening.locked(state)
    defer { withExtendedLifetime(lock) {} }
    let owner = try directory.facts()
    let files = LedgerFiles(directory: directory)
    if ProcessRights.user == 0 { try lock.setOwner(owner.owner, group: owner.group) }
    try files.finishRestore(now: now)
    try files.rollBackCreation()
    let check = try LedgerCheck(path: backup)
    let faults = try check.faults() + [try check.logFault()].compactMap(\.self)
    guard faults.isEmpty else {
      throw LedgerError(.damaged, "\(backup) is damaged and was not put in place: \(faults.joined(separator: "; "))")
    }
    let jobs = try check.count()

    let staged = LedgerFiles.restoring + ".part"
    // SQLite would undo in the new copy what a restore that was cut had begun in its own
    for tail in [""] + LedgerFiles.tails { try files.remove(staged + tail) }
    let stopped = try stage(backup, as: staged, files, owner)
    try files.remove(LedgerFiles.restoring)
    try files.rename(staged, to: LedgerFiles.restoring)
    // if a crash comes after this, the next start finishes the restore: changes in one directory keep their order
    var previous: String?
    if try files.size(LedgerFiles.name) != nil { previous = try files.setAside(as: LedgerFiles.replaced, now: now) }
    try files.remove(LedgerFiles.suspect)
    try files.finishRestore(now: now)
    return Restored(previous: previous, jobs: jobs, stopped: stopped)
  }

  /// Makes a copy of the backup. The copy's numbers go on after those of the replaced ledger, and it has the jobs that were stopped there.
  /// Returns the number of stopped jobs.
  private static func stage(_ backup: String, as name: String, _ files: LedgerFiles, _ owner: FileFacts) throws -> Int {
    let path = files.directory.path + "/" + name
    let file = try files.directory.create(Array(name.utf8), permissions: 0o600)
    try copy(backup, into: path)
    if ProcessRights.user == 0 { try file.setOwner(owner.owner, group: owner.group, path: path) }
    let stopped = try edit(path) { db in
      try LedgerOpening.Mark.set(.mayHaveForgotten, in: db)
      try LastNumbers.salvaged(from: files.path)?.keep(in: db)
      try LedgerIdentity.carry(from: try LedgerFiles.salvage(files.path, LedgerIdentity.read), into: db)
      try db.transaction(.immediate) { try StoppedJobs.salvage(from: files.path, into: db) }
      return try StoppedJobs.count(db)
    }
    try file.sync(.restoredFile, path: path)
    return stopped
  }

  private static func split(_ path: String) throws(FileError) -> (Directory, String) {
    guard let slash = path.lastIndex(of: "/") else { return (try Directory(path: "."), path) }
    let directory = slash == path.startIndex ? "/" : String(path[..<slash])
    return (try Directory(path: directory), String(path[path.index(after: slash)...]))
  }
}
