import Glibc
import Linux
import SQLite
import Seams
import Simulation

/// A number from outside that has one extreme value for all of a scenario. Whatever follows from it, no life may end by a trap.
package struct Extreme: Sendable, CustomStringConvertible {
  enum Number: Hashable, Sendable {
    /// What the kernel says of all files.
    case fact(ExtremeNumbers.Fact)
    case header(String)
    case element(String)
    /// A column of numbers in the ledger, by its place among all, whenever a daemon starts again.
    case column(Int)
    /// The wall clock, which the scenario may move further.
    case wallClock
  }

  let number: Number
  let value: Int64

  package var description: String { "\(number) of \(value)" }

  /// All numbers with all values: the ends, those beside zero and 32 bits, and the seconds of the years 2300 and 10000.
  package static var all: [Extreme] {
    let facts = ExtremeNumbers.Fact.allCases.map { Number.fact($0) }
    let headers = ["Content-Length", "Retry-After", "Date", "Last-Modified"].map { Number.header($0) }
    let elements = ["Size", "PartNumber", "NextPartNumberMarker"].map { Number.element($0) }
    let values: [Int64] = [.min, -1, 0, 1 << 31, 10_413_792_000, 253_402_300_800, .max]
    // The kernel's clock is between 1970 and 2232.
    return (facts + headers + elements).flatMap { number in values.map { Extreme(number: number, value: $0) } }
      + (0..<110).flatMap { place in [Int64.min, .max].map { Extreme(number: .column(place), value: $0) } }
      + [1, 8_267_500_000].map { Extreme(number: .wallClock, value: $0) }
  }

  /// Gives what this process sees of files its value.
  func begin() { if case .fact(let fact) = number { ExtremeNumbers.set(fact, to: value) } }

  func altered(_ answer: FarAnswer) -> FarAnswer {
    var answer = answer
    switch number {
    case .header(let name):
      answer.headers.removeAll { $0.name.lowercased() == name.lowercased() }
      answer.headers.append(FarHeader(name, Self.isDate(name) ? date : "\(value)"))
    case .element(let name):
      let text = String(decoding: answer.body, as: UTF8.self)
      let pieces = text.split(separator: "<\(name)>", omittingEmptySubsequences: false).map(String.init)
      answer.body = Array(
        pieces.enumerated().map { index, piece in
          guard index > 0, let end = piece.firstIndex(of: "<") else { return piece }
          return "<\(name)>\(value)\(piece[end...])"
        }.joined().utf8)
    case .fact, .column, .wallClock: break
    }
    return answer
  }

  func alter(ledger path: String) throws {
    guard case .column(let place) = number else { return }
    let db = try Database(path: path)
    defer { db.close() }
    let tables: [String] = try db.column("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    let columns = try tables.flatMap { table in
      try (db.column("SELECT name FROM pragma_table_info(?) WHERE type = 'INTEGER'", [table]) as [String])
        .map { (table, $0) }
    }
    guard !columns.isEmpty else { return }
    let (table, column) = columns[place % columns.count]
    // Ignored: what the schema does not allow is in no row.
    _ = try? db.execute("UPDATE OR REPLACE \"\(table)\" SET \(column) = ?", [value])
  }

  private static func isDate(_ name: String) -> Bool { name == "Date" || name == "Last-Modified" }

  private var date: String {
    value < 1 << 32 ? "Thu, 01 Jan 1970 00:00:00 GMT" : value == .max ? "Fri, 31 Dec 9999 23:59:60 GMT" : "\(value)"
  }
}
