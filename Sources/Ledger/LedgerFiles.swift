import Jobs
import LinuxFiles

/// A ledger that could not be used, and was put aside with all its files; a new one is in its place.
public struct LedgerSetAside: Sendable, Hashable {
  /// Where it is now; its log of writes is there too, with `-wal` behind the name. Nil where there was nothing to keep.
  public let path: String?
  /// What is wrong with it, in words.
  public let reason: String
  /// What could be read of the numbers that it had given out.
  var last: LastNumbers?
  /// The last number of a job that could be read in it; nil where none could, so that numbers begin anew.
  public var lastNumber: Int64? { last?.jobs }
  /// How many jobs could be read in it that had been stopped: aborted, cancelled, discarded or asked about.
  public internal(set) var stopped = 0
}

/// The files of a ledger in its directory: SQLite's, and those that stand beside them for a while.
struct LedgerFiles: Sendable {
  let directory: Directory

  static let name = "ledger.sqlite"
  /// SQLite's log of writes and its index.
  static let tails = ["-wal", "-shm"]
  /// A whole ledger that is about to be put in place by a restore.
  static let restoring = "ledger.sqlite.restoring"
  /// What stands in the name of one that was put aside for damage.
  static let damaged = "damaged"
  /// Says that damage was met while the daemon ran, so that the next start looks at all of it.
  static let suspect = "ledger.suspect"

  var path: String { directory.path + "/" + Self.name }

  /// The size of a file, or nil where there is none.
  func size(_ name: String) throws(FileError) -> Int64? {
    do throws(FileError) {
      return try directory.facts(of: Array(name.utf8)).size
    } catch {
      guard error.code == "ENOENT" else { throw error }
      return nil
    }
  }

  func remove(_ name: String) throws(FileError) { try directory.removeIfThere(Array(name.utf8)) }

  func rename(_ name: String, to other: String) throws(FileError) {
    try directory.rename(Array(name.utf8), into: directory, as: Array(other.utf8))
  }

  /// Puts the ledger aside with all its files, under a name with the date: `ledger.sqlite.WORD-20261121T010203Z`.
  ///
  /// Not made durable here: where a power cut undoes it, the same is found and done again.
  func setAside(as word: String, now: Timestamp) throws(FileError) -> String {
    let stem = Self.stem(word) + Self.date(now)
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

  /// The path of the last one that was put aside so, if one is still there.
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

  /// `20261121T010203Z`.
  static func date(_ time: Timestamp) -> String {
    String(time.rfc3339.filter { $0 != "-" && $0 != ":" })
  }

  /// Finishes a restore that was cut between its last two steps.
  func finishRestore() throws(FileError) {
    guard try size(Self.name) == nil, try size(Self.restoring) != nil else { return }
    try rename(Self.restoring, to: Self.name)
    try directory.sync(.restoredEntry)
  }

  /// Has the next start look at all of the ledger. What goes wrong with this is not worth a word beside the damage.
  func noteSuspicion() {
    do throws(FileError) {
      _ = try directory.create(Array(Self.suspect.utf8), permissions: 0o600)
    } catch {
      // it is there already, or cannot be: a ledger that was not closed is looked at anyway
    }
  }
}
