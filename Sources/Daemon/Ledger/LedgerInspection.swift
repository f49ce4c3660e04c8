import Jobs
import Linux
import SQLite

/// Checks if a ledger is whole by reading alone, so that a damaged one is kept as it was found.
struct LedgerInspection {
  enum Finding: Equatable {
    case whole
    case missing
    case empty
    case damaged(String)
  }

  let files: LedgerFiles
  let boot: String?

  /// Checks the ledger. After a proper close, or if the daemon alone was killed, only its form is checked. If the machine may have gone
  /// down too, the files are a copy, or somebody wrote the ledger since, every page is checked, and everything after damage was met.
  func run() throws -> Finding {
    let hadLog = try files.size(LedgerFiles.name + "-wal") ?? 0 > 0
    let place = try files.place(boot)
    let isAsLeft = try !hadLog || place != nil && place == LedgerTrace.read(files)?.place && files.endsWithLog()
    let check = try files.size(LedgerFiles.suspect) != nil ? "integrity_check" : isAsLeft ? nil : "quick_check"
    let finding = try run(check)
    guard case .damaged = finding else { return finding }
    // SQLite reports a failed reading in the same way (SQLITE_IOERR_CORRUPTFS): it is damage if it happens again although every byte
    // can be read.
    try files.requireReadable()
    return try run(check)
  }

  /// - Parameter check: the pragma that checks the pages; nil for the form alone.
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
    do {
      let db = try Database(path: files.path, .reading)
      // the header, the size, and the schema
      _ = try db.value("SELECT count(*) FROM sqlite_master") as Int?
      guard let check else { return .whole }
      let lines: [String] = try db.column("PRAGMA \(check)(10)")
      return lines == ["ok"] ? .whole : .damaged(lines.joined(separator: "; "))
    } catch let error as SQLiteError where error.isOfDamage {
      return .damaged(error.message)
    }
  }
}

/// SQLite's log of writes, checked before SQLite opens it. SQLite treats a log that it cannot read as empty, so its commits would be
/// lost without an error.
/// After a power cut, less may be there than was written, but nothing else (<https://sqlite.org/fileformat2.html#walformat>): each frame's
/// place holds a frame of this round or an earlier one, or zeros. Anything else is damage.
struct WriteAheadLog {
  private static let headerSize = 32
  private static let frameHeaderSize = 24
  /// No ledger has so many pages: 256 GiB of them.
  private static let mostPages: UInt32 = 1 << 26

  /// Returns the fault in words; nil if the log is as SQLite left it.
  static func damage(of file: OpenFile) throws(FileError) -> String? {
    let size = try file.facts().size
    guard size > 0 else { return nil }
    let header = try file.read(at: 0, count: headerSize)
    if header.allSatisfy({ $0 == 0 }) { return nil }
    guard header.count == headerSize, isHeader(header) else { return "its log of writes does not begin as one" }
    let pageSize = word(header, 8)
    guard pageSize >= 512, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else {
      return "its log of writes has pages of \(pageSize) bytes"
    }
    var offset = Int64(headerSize)
    while offset + Int64(frameHeaderSize) <= size {
      let frame = try file.read(at: offset, count: frameHeaderSize)
      guard frame.count == frameHeaderSize else { break }
      let isBlank = frame.allSatisfy { $0 == 0 }
      // the page number, and the number of pages after a commit
      guard isBlank || (1...mostPages).contains(word(frame, 0)) && word(frame, 4) <= mostPages else {
        return "its log of writes has something else at byte \(offset)"
      }
      offset += Int64(frameHeaderSize) + Int64(pageSize)
    }
    return nil
  }

  /// Returns true if the magic number, the version and the checksum over pairs of words are right.
  private static func isHeader(_ header: [UInt8]) -> Bool {
    let magic = word(header, 0)
    guard magic & ~1 == 0x377f_0682, word(header, 4) == 3_007_000 else { return false }
    let isBigEndian = magic & 1 == 1
    var (first, second): (UInt32, UInt32) = (0, 0)
    for index in stride(from: 0, to: 24, by: 8) {
      let pair = [index, index + 4].map { isBigEndian ? word(header, $0) : word(header, $0).byteSwapped }
      first = first &+ pair[0] &+ second
      second = second &+ pair[1] &+ first
    }
    return first == word(header, 24) && second == word(header, 28)
  }

  private static func word(_ bytes: [UInt8], _ index: Int) -> UInt32 {
    bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// Checks a ledger by reading alone, in use or not: every page, and every row of a job.
/// Only one thread may use it.
package final class LedgerCheck {
  let db: Database
  package let path: String

  /// Opens the ledger of a state directory, or a copy of one by its own path.
  package init(path: String) throws(LedgerError) {
    self.path = path
    do {
      _ = try OpenFile(following: Array(path.utf8))
      db = try Database(path: path, .reading)
    } catch let error as SQLiteError where error.isOfDamage {
      throw LedgerError(.damaged, "\(path) is damaged: \(error.message)")
    } catch {
      throw LedgerError(opening: path, error)
    }
  }

  package static func path(in directory: String) -> String { directory + "/" + LedgerFiles.name }

  /// Returns the faults of the ledger itself, in words; none if it is whole.
  package func faults() throws(LedgerError) -> [String] {
    do {
      return try db.transaction(.deferred) {
        let pages = try (db.column("PRAGMA integrity_check(100)") as [String]).filter { $0 != "ok" }
        guard pages.isEmpty else { return pages }
        if let refusal = try LedgerSchema.refusal(of: db) { throw LedgerError(.configuration, "\(path) \(refusal)") }
        guard try LedgerSchema.form(of: db) != nil else { throw LedgerError(.configuration, "\(path) is no ledger") }
        return try unreadable()
      }
    } catch let error as LedgerError {
      throw error
    } catch let error as SQLiteError where error.isOfDamage {
      return [error.message]
    } catch {
      throw LedgerError(LedgerError.mayPass(error) ? .unavailable : .configuration, "\(path) cannot be read: \(error)")
    }
  }

  /// Returns the fault of the log of writes beside the ledger, if SQLite itself does not report it.
  package func logFault() throws -> String? {
    let log = Array((path + "-wal").utf8)
    guard let file = try ifPresent({ () throws(FileError) in try OpenFile(following: log) }) else { return nil }
    return try WriteAheadLog.damage(of: file)
  }

  package func count() throws -> Int {
    try db.value("SELECT count(*) FROM job") ?? 0
  }

  /// Returns the faults of rows with values that this program does not know.
  private func unreadable() throws -> [String] {
    var faults: [String] = []
    var rows = try db.rows("\(JobRow.select) ORDER BY job.number")
    while faults.count < 100, let row = try rows.next() {
      do {
        _ = try JobRow.job(row)
      } catch let error as LedgerError {
        let number: Int64 = row[0]
        faults.append("job \(number) cannot be read: \(error.words)")
      }
    }
    return faults
  }
}
