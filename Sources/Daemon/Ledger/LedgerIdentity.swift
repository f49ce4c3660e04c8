import Jobs
import Linux
import Messages
import SQLite

/// The identity of a ledger. By it, copies elsewhere know that the ledger is the same and continues where it was.
/// The uuid is made with the ledger and stays. The generation goes up each time the ledger may not continue where it was left: after a
/// restore, or if it was built anew.
package struct LedgerIdentity: Hashable, Sendable {
  /// The random UUID (RFC 9562, version 4), in lower case.
  package let uuid: String
  package let generation: Int64

  /// Reads the identity; nil if there is no row: the ledger was never opened, or was assembled by hand.
  static func read(_ db: Database) throws -> LedgerIdentity? {
    try db.first("SELECT uuid, generation FROM identity") { row in
      LedgerIdentity(uuid: row[0], generation: row[1])
    }
  }

  /// Returns the time since which the ledger knows every job: the beginning of its present life.
  static func began(_ db: Database) throws -> Timestamp {
    Timestamp(microseconds: try db.value("SELECT since FROM identity") ?? 0)
  }

  /// Returns the identity of a ledger that is being opened.
  /// `now`: the beginning of a new life; `goesOn`: true if it continues where it was left; `before`: the identities of the ledgers that
  /// were in its place, as far as they are known.
  static func settle(
    in db: Database, at now: Timestamp, goesOn: Bool, after before: [LedgerIdentity]
  ) throws -> LedgerIdentity {
    let own = try read(db) ?? LedgerIdentity(uuid: random(), generation: 0)
    guard own.generation == 0 || !goesOn else { return own }
    // a ledger that was just made in place of another continues that ledger, with the next generation
    let uuid = own.generation == 0 ? before.first?.uuid ?? own.uuid : own.uuid
    let last = before.filter { $0.uuid == uuid }.map(\.generation).max() ?? 0
    let settled = LedgerIdentity(uuid: uuid, generation: max(own.generation, last) +| 1)
    try db.execute(
      "INSERT OR REPLACE INTO identity VALUES (1, ?, ?, ?)",
      [settled.uuid, settled.generation, now.microseconds])
    return settled
  }

  /// Makes a restored copy know the generation of the ledger that it replaces, if it is the same ledger.
  static func carry(from replaced: LedgerIdentity?, into db: Database) throws {
    guard let replaced, let own = try read(db), own.uuid == replaced.uuid, own.generation < replaced.generation
    else { return }
    try db.execute("UPDATE identity SET generation = ?", [replaced.generation])
  }

  private static func random() -> String {
    let high = UInt64.random(in: .min ... .max) & ~0xF000 | 0x4000
    let low = UInt64.random(in: .min ... .max) >> 2 | 0x8000_0000_0000_0000
    return JobID(high: high, low: low).description
  }
}

/// The state in which the last daemon left the ledger, in a file of its own beside it. It shows the next start if the ledger was
/// replaced: SQLite does not notice an older copy or a missing log of writes.
/// The file is not synced: SQLite syncs the ledger's files in the same directory. A file that is not a trace is ignored.
struct LedgerTrace: Equatable {
  static let name = "ledger.left"

  /// True if a daemon has the ledger open, or ended without closing it.
  let isOpen: Bool
  let lastEvent: Int64
  let identity: LedgerIdentity
  /// The file and the machine's boot in which it was opened (``LedgerFiles/place(_:)``); nil if not known, or if it was closed.
  var place: String?

  /// Returns the trace of the last daemon; nil if there is none that can be read.
  static func read(_ files: LedgerFiles) throws(FileError) -> LedgerTrace? {
    do throws(FileError) {
      let bytes = try files.directory.openOurs(Array(name.utf8)).read(at: 0, count: 256)
      let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard words.count >= 4, ["open", "closed"].contains(words[0]), let lastEvent = Int64(words[1]),
        let generation = Int64(words[2])
      else { return nil }
      return LedgerTrace(
        isOpen: words[0] == "open", lastEvent: lastEvent,
        identity: LedgerIdentity(uuid: String(words[3]), generation: generation),
        place: words.dropFirst(4).first.map(String.init))
    } catch {
      guard !error.mayPass else { throw error }
      return nil
    }
  }

  func write(_ files: LedgerFiles) throws(FileError) {
    let words = "\(isOpen ? "open" : "closed") \(lastEvent) \(identity.generation) \(identity.uuid) \(place ?? "")\n"
    try files.replace(Self.name, with: words)
  }

  /// Returns the reason in words why a ledger is not the last one in use; nil if it is.
  /// `lastEvent`: the last event that it has now; `hadLog`: true if a log of writes stood beside it before it was opened.
  func loss(_ lastEvent: Int64, hadLog: Bool) -> String? {
    if isOpen, !hadLog { return "its log of writes is gone, and what was written last with it" }
    if lastEvent < self.lastEvent {
      return "it is an older one than was last in use: it ends with event \(lastEvent), not \(self.lastEvent)"
    }
    return nil
  }
}
