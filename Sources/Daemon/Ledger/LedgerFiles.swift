import Jobs
import Linux
import SQLite
import Seams

/// An unusable ledger that was put aside with all its files. A new one has taken its place.
package struct LedgerSetAside: Sendable, Hashable {
  /// The ledger's path now; its log of writes is there too, with `-wal` after the name. Nil if there was nothing to keep.
  package let path: String?
  package let reason: String
  /// The numbers that it had given out, as far as they could be read.
  var last: LastNumbers?
  /// The last number of a job that could be read in it; nil if none could, so that numbers begin anew.
  package var lastNumber: Int64? { last?.jobs }
  /// The number of jobs that could be read in it as stopped: aborted, cancelled, discarded or asked about.
  package internal(set) var stopped = 0
}

/// The files of a ledger in its directory: SQLite's, and temporary ones.
struct LedgerFiles: Sendable {
  let directory: Directory

  static let name = "ledger.sqlite"
  /// SQLite's log of writes and its index, and the journal that it uses before there is a log.
  static let tails = ["-wal", "-shm", "-journal"]
  /// A whole ledger that is about to be put in place by a restore.
  static let restoring = "ledger.sqlite.restoring"
  /// The word in the name of a ledger that was put aside for damage.
  static let damaged = "damaged"
  /// The same for one that a restore has replaced.
  static let replaced = "replaced"
  /// A file that says that damage was met while the daemon ran, so that the next start checks the whole ledger.
  static let suspect = "ledger.suspect"

  var path: String { directory.path + "/" + Self.name }

  func size(_ name: String) throws(FileError) -> Int64? {
    try ifPresent { () throws(FileError) in try directory.facts(of: Array(name.utf8)).size }
  }

  /// Returns the file's inode and the boot in one word: if both are as they were, the kernel still has every write of a process that was
  /// killed. Nil if one is not known.
  func place(_ boot: String?) throws(FileError) -> String? {
    guard let boot, try size(Self.name) != nil else { return nil }
    return "\(boot)/\(try directory.facts(of: Array(Self.name.utf8)).inode)"
  }

  /// Returns true if the log of writes was written last, as SQLite does but right after it copied the log into the ledger. A backup that
  /// was copied over the ledger is newer than the log. This compares ctimes, because `cp -p` sets the mtime.
  func endsWithLog() throws(FileError) -> Bool {
    let (ledger, log) = (Array(Self.name.utf8), Array((Self.name + "-wal").utf8))
    return try directory.facts(of: ledger).changed <= directory.facts(of: log).changed
  }

  /// Checks that this process may use the directory and its existing files.
  func requireRights() throws(FileError) {
    try directory.requireReadAndWrite()
    for tail in [""] + Self.tails where try size(Self.name + tail) != nil {
      try directory.requireReadAndWrite(Array((Self.name + tail).utf8))
    }
  }

  /// Checks that every byte of the ledger and of its log of writes can be read.
  func requireReadable() throws(FileError) {
    for name in [Self.name, Self.name + "-wal"] where try size(name) != nil {
      let file = try OpenFile(following: Array("\(directory.path)/\(name)".utf8))
      var position: Int64 = 0
      while case let count = try file.read(at: position, count: 1 << 20).count, count > 0 { position += Int64(count) }
    }
  }

  func remove(_ name: String) throws(FileError) { try directory.removeIfThere(Array(name.utf8)) }

  func rename(_ name: String, to other: String) throws(FileError) {
    try directory.rename(Array(name.utf8), into: directory, as: Array(other.utf8))
  }

  /// Puts the ledger aside with all its files, under a name with the date: `ledger.sqlite.WORD-20261121T010203Z`.
  /// It is not made durable here: if a power cut undoes it, the same state is found and put aside again.
  func setAside(as word: String, now: Timestamp) throws(FileError) -> String {
    let stem = Self.stem(word) + now.iso8601Basic
    var name = stem
    var more = 1
    while try Self.isTaken(name, self) {
      more += 1
      name = "\(stem).\(more)"
    }
    for tail in [""] + Self.tails where try size(Self.name + tail) != nil {
      try rename(Self.name + tail, to: name + tail)
    }
    return directory.path + "/" + name
  }

  /// Returns the path of the last ledger that was put aside under that word, if one is still there.
  func lastSetAside(as word: String) throws(FileError) -> String? {
    let stem = Self.stem(word)
    var last: String?
    let listing = try directory.listing()
    while let entry = try listing.next() {
      let name = String(decoding: entry.name, as: UTF8.self)
      guard name.hasPrefix(stem), !Self.tails.contains(where: name.hasSuffix) else { continue }
      if last.map({ $0 < name }) ?? true { last = name }
    }
    return last.map { "\(directory.path)/\($0)" }
  }

  private static func stem(_ word: String) -> String { "\(name).\(word)-" }

  private static func isTaken(_ name: String, _ files: LedgerFiles) throws(FileError) -> Bool {
    for tail in [""] + tails where try files.size(name + tail) != nil { return true }
    return false
  }

  /// Reads a ledger that may be damaged or written by another version; nil if nothing can be read, which the caller has reported.
  static func salvage<Value>(_ path: String, _ read: (Database) throws -> Value?) throws -> Value? {
    do {
      // SQLite would throw away the log of writes of an empty file
      guard try OpenFile(following: Array(path.utf8)).facts().size > 0 else { return nil }
      return try read(try Database(path: path, .reading))
    } catch  where LedgerError.mayPass(error) {
      throw error
    } catch {
      return nil
    }
  }

  /// Puts a short text in place of a file. It is not synced.
  func replace(_ name: String, with text: String) throws(FileError) {
    let part = name + ".part"
    try remove(part)
    let file = try directory.create(Array(part.utf8), permissions: 0o600)
    try file.write(Array(text.utf8), path: "\(directory.path)/\(part)")
    try directory.rename(Array(part.utf8), replacing: Array(name.utf8))
  }

  /// Gives a ledger that was put aside its log of writes, if a stop came between the two: to the next ledger, that log would be damage.
  private func finishSetAside() throws(FileError) {
    guard try size(Self.name) == nil, try size(Self.name + "-wal") ?? 0 > 0,
      let inode = try LedgerTrace.read(self)?.place?.split(separator: "/").last
    else { return }
    let listing = try directory.listing()
    while let entry = try listing.next() {
      let name = String(decoding: entry.name, as: UTF8.self)
      guard [Self.damaged, Self.replaced].contains(where: { name.hasPrefix(Self.stem($0)) }),
        try "\(directory.facts(of: entry.name).inode)" == inode, try size(name + "-wal") == nil
      else { continue }
      try remove(Self.name + "-shm")
      return try rename(Self.name + "-wal", to: name + "-wal")
    }
  }

  /// Does the last steps of a restore, also of one that was cut there. What is left of a ledger that is gone would change the new one.
  func finishRestore(now: Timestamp) throws(FileError) {
    try finishSetAside()
    guard try size(Self.name) == nil, try size(Self.restoring) != nil else { return }
    if try Self.isTaken(Self.name, self) { _ = try setAside(as: Self.replaced, now: now) }
    try rename(Self.restoring, to: Self.name)
    try directory.sync(.restoredEntry)
  }

  /// Makes SQLite undo an interrupted creation of the ledger. Such a journal exists only before WAL mode, and readers must not undo it.
  func rollBackCreation() throws {
    guard try size(Self.name + "-journal") != nil else { return }
    do {
      let db = try Database(path: path)
      _ = try db.value("SELECT count(*) FROM sqlite_master") as Int?
    } catch let error as SQLiteError where error.isOfDamage {
      // the inspection finds it too
    }
  }

  /// Makes the next start check the whole ledger. If that fails, it is not reported, because the damage is.
  func markSuspect() {
    do throws(FileError) {
      _ = try directory.create(Array(Self.suspect.utf8), permissions: 0o600)
    } catch {
      // the file is there already, or cannot be made: a ledger that was not closed is checked anyway
    }
  }
}

extension Directory {
  func removeIfThere(_ name: [UInt8]) throws(FileError) {
    _ = try ifPresent { () throws(FileError) in try remove(name) }
  }
}

/// A file beside the ledger that only takes up space. The reserve is given up when the disk is full to the last byte. Then the ledger can
/// record what is registered, and those files make room once they go. It is made again when there is space.
extension LedgerFiles {
  static let reserve = "ledger.reserve"
  /// The reserve's size in bytes; less on a small disk.
  static let reserveSizes: ClosedRange<Int64> = 256 << 10...4 << 20
  /// The reserve takes at most one part in this many of the free space.
  private static let share: Int64 = 8

  /// Makes the reserve, unless it is there or there is too little space.
  /// Returns true if it is there now.
  func makeReserve() -> Bool {
    let name = Array(Self.reserve.utf8)
    do throws(FileError) {
      if let size = try size(Self.reserve) {
        if size > 0 { return true }
        try remove(Self.reserve)  // a crash came before the reserve got its space
      }
      let size = min(try directory.fileSystem().availableBytes / Self.share, Self.reserveSizes.upperBound)
      guard size >= Self.reserveSizes.lowerBound else { return false }
      try directory.create(name, permissions: 0o600).allocate(size, path: "\(directory.path)/\(Self.reserve)")
      return true
    } catch {
      _ = giveUpReserve()
      return false
    }
  }

  /// Gives the reserve up, and returns the bytes that became free; 0 if there was none.
  func giveUpReserve() -> Int64 {
    do throws(FileError) {
      guard let size = try size(Self.reserve) else { return 0 }
      try remove(Self.reserve)
      return size
    } catch {
      return 0  // the disk is as full as before, and that is told
    }
  }
}
