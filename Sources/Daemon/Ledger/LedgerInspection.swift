import Linux
import SQLite

/// Checks if a ledger is whole by reading alone, so that a damaged one is kept as it was found.
struct LedgerInspection {
  enum Finding: Equatable {
    case whole
    case missing
    case empty
    /// The ledger is damaged, in words.
    case damaged(String)
  }

  /// The longest time for the check of pages. The rest of a larger ledger is not checked: a kill damages nothing, and damage by a power
  /// cut or a disk is found when a page is read.
  static let longest = Duration.seconds(10)

  let files: LedgerFiles
  let machine: Machine

  /// Checks the ledger. A ledger that was closed properly is checked only for its form; after any other end, every page is
  /// checked as far as ``longest`` suffices, and everything after damage was met.
  ///
  /// - Throws: `FileError`, or SQLite's error if that is not about damage.
  func run() throws -> Finding {
    let hadLog = try files.size(LedgerFiles.name + "-wal") ?? 0 > 0
    let check = try files.size(LedgerFiles.suspect) != nil ? "integrity_check" : hadLog ? Self.quickCheck : nil
    let finding = try run(check)
    guard case .damaged = finding else { return finding }
    // SQLite reports a failed reading in the same way (SQLITE_IOERR_CORRUPTFS): it is damage if it happens again although every byte
    // can be read.
    try files.requireReadable()
    return try run(check)
  }

  /// Reads every page, but not that indexes match the rows.
  private static let quickCheck = "quick_check"

  /// - Parameter check: the pragma by which SQLite checks more than the form: a database of its size, and a log of writes.
  private func run(_ check: String?) throws -> Finding {
    let size = try files.size(LedgerFiles.name)
    let log = try files.size(LedgerFiles.name + "-wal")
    guard let size, size > 0 else {
      if log ?? 0 > 0 { return .damaged("its log of writes is there without it") }
      return size == nil ? .missing : .empty
    }
    if log != nil {
      let file = try files.directory.openOurs(Array((LedgerFiles.name + "-wal").utf8))
      if let damage = try WriteAheadLog.damage(of: file) { return .damaged(damage) }
    }
    return try Self.read(files.path) { db in
      // the header, the size, and the schema
      _ = try db.value("SELECT count(*) FROM sqlite_master") as Int?
      guard let check else { return .whole }
      func faults() throws -> [String] { try db.column("PRAGMA \(check)(10)") }
      let lines = check == Self.quickCheck ? try db.within(Self.longest, on: machine, faults) : try faults()
      guard let lines, lines != ["ok"] else { return .whole }
      return .damaged(lines.joined(separator: "; "))
    }
  }

  private static func read(_ path: String, _ body: (Database) throws -> Finding) throws -> Finding {
    do {
      return try body(try Database(path: path, .reading))
    } catch let error as SQLiteError where error.isOfDamage {
      return .damaged(error.message)
    }
  }
}
