import FoundationEssentials
import Jobs
import SQLite
import Simulation

/// The ledger as a crash left it, read from a copy: reading the files themselves would recover them.
struct LedgerAtDeath {
  /// The states of all jobs whose file was claimed by a rename, by id.
  private let states: [(id: String, state: String)]

  /// Reads the ledger of a world.
  ///
  /// - Parameter place: a folder for the copy, which is removed.
  init(root: String, copyingTo place: String) throws {
    let manager = FileManager.default
    defer { _ = try? manager.removeItem(atPath: place) }
    try manager.createDirectory(atPath: place, withIntermediateDirectories: true)
    for name in ["ledger.sqlite", "ledger.sqlite-wal"] where manager.fileExists(atPath: "\(root)/state/\(name)") {
      try manager.copyItem(atPath: "\(root)/state/\(name)", toPath: "\(place)/\(name)")
    }
    guard manager.fileExists(atPath: "\(place)/ledger.sqlite") else {
      states = []
      return
    }
    let database = try Database(path: "\(place)/ledger.sqlite")
    defer { database.close() }
    let tables = try database.all("SELECT 1 FROM sqlite_master WHERE name = 'job'") { row in row[0] as Int }
    states =
      try tables.isEmpty
      ? []
      : database.all(
        """
        SELECT lower(hex(id)), state FROM job JOIN ticket ON ticket.job = job.number \
        WHERE ticket.parcel IS NOT 'in-place'
        """
      ) { row in (Self.dashed(row[0]), row[1]) }
  }

  /// Returns what is wrong with the claimed files: those of jobs that are not done with must be there.
  func faults(_ facts: WorldFacts) -> [String] {
    let claims = facts.files.map(\.path).filter { $0.contains("/.waybill/") }
    return states.filter { !["registered", "skipped", "discarded"].contains($0.state) }.compactMap {
      id, state in
      claims.contains { $0.contains(id) } ? nil : "job \(id) is \(state) in the ledger, and its file is gone"
    }
  }

  /// An id in its usual form.
  private static func dashed(_ hex: String) -> String {
    var rest = Substring(hex)
    return [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return String(rest.prefix(count))
    }.joined(separator: "-")
  }
}
