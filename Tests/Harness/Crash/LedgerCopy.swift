import ChildProcesses
import Foundation
import SQLite

/// The ledger as a crash left it, read from a copy: reading the files themselves would recover them.
///
/// Of the product only the calls of SQLite are used: the tables are read as they are.
enum LedgerCopy {
  struct Row: Sendable {
    var id: String
    var name: String
    var state: String
  }

  static func rows(of state: URL) throws -> [Row] {
    let folder = try FileManager.default.temporaryDirectory.madeFolder("ledger-\(UUID())")
    defer { _ = try? FileManager.default.removeItem(at: folder) }
    for name in try FileManager.default.contentsOfDirectory(atPath: state.path)
    where name.hasPrefix("ledger.sqlite") && !name.hasSuffix("-shm") {
      try FileManager.default.copyItem(at: state.appending(path: name), to: folder.appending(path: name))
    }
    let ledger = folder.appending(path: "ledger.sqlite").path
    guard FileManager.default.fileExists(atPath: ledger) else { return [] }
    let database = try Database(path: ledger)
    defer { database.close() }
    let tables: [String] = try database.column("SELECT name FROM sqlite_master WHERE name = 'job'")
    guard !tables.isEmpty else { return [] }
    return try database.all("SELECT id, name, state FROM job JOIN ticket ON ticket.job = job.number") { row in
      let name: [UInt8] = row[1]
      return Row(id: text(of: row[0]), name: String(decoding: name, as: UTF8.self), state: row[2])
    }
  }

  private static func text(of id: [UInt8]) -> String {
    let digits = id.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    var rest = Substring(digits)
    return [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return String(rest.prefix(count))
    }.joined(separator: "-")
  }
}
