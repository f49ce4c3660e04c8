import FoundationEssentials
import Jobs
import SQLite
import Simulation

/// The ledger as a crash left it, read from a copy: reading the files themselves would recover them.
struct LedgerAtDeath {
  private struct Row {
    var id: String
    var state: String
    var delaysSpent: Int
    var hasFailure: Bool
    /// The kind of its parcel: `file`, `sidecar`, `group` or `in-place`.
    var parcel: String

    var isDone: Bool { ["registered", "skipped", "discarded"].contains(state) }

    /// The verdict that has put it where it is; nil if none has.
    var verdict: String? {
      switch state {
      case "aborted": "abort"
      case "deferred": delaysSpent > 0 ? "retry" : "wait"
      case "awaiting-confirmation": "ask"
      case "awaiting-credentials": "await-credentials"
      case "awaiting-network": "await-network"
      case "queued" where hasFailure: "requeue"
      default: nil
      }
    }
  }

  private let rows: [Row]

  /// Reads the ledger of a world.
  init(root: String, copyingTo place: String) throws {
    let manager = FileManager.default
    defer { _ = try? manager.removeItem(atPath: place) }
    try manager.createDirectory(atPath: place, withIntermediateDirectories: true)
    for name in ["ledger.sqlite", "ledger.sqlite-wal"] where manager.fileExists(atPath: "\(root)/state/\(name)") {
      try manager.copyItem(atPath: "\(root)/state/\(name)", toPath: "\(place)/\(name)")
    }
    guard manager.fileExists(atPath: "\(place)/ledger.sqlite") else {
      rows = []
      return
    }
    let database = try Database(path: "\(place)/ledger.sqlite")
    defer { database.close() }
    let tables = try database.all("SELECT 1 FROM sqlite_master WHERE name = 'job'") { row in row[0] as Int }
    let query = """
      SELECT lower(hex(id)), state, ifnull(delays_spent, 0), failure_kind, ticket.parcel FROM job \
      JOIN ticket ON ticket.job = job.number LEFT JOIN trouble ON trouble.job = job.number
      """
    rows =
      try tables.isEmpty
      ? []
      : database.all(query) { row in
        let (failure, parcel): (String?, String?) = (row[3], row[4])
        let kind = parcel?.split(separator: " ").first.map(String.init) ?? "file"
        return Row(
          id: Self.dashed(row[0]), state: row[1], delaysSpent: row[2], hasFailure: failure != nil, parcel: kind)
      }
  }

  /// The names of what is reached by a restart of a daemon that has left this, or by a crash (``Reach``).
  func reached(isCrash: Bool) -> [String] {
    rows.compactMap(\.verdict).map(Reach.restart(after:))
      + (isCrash ? rows.filter { !$0.isDone }.map { Reach.crash(with: $0.parcel) } : [])
  }

  /// Returns what is wrong with the claimed files: those of jobs that are not done with must be there.
  func faults(_ facts: WorldFacts, _ books: Books) -> [String] {
    let claims = facts.files.map(\.path).filter { $0.contains("/.waybill/") }
    return rows.filter { row in
      !row.isDone && row.parcel != "in-place" && !books.isDamaged(row.id) && !claims.contains { $0.contains(row.id) }
    }.map { "job \($0.id) is \($0.state) in the ledger, and its file is gone" }
  }

  static func dashed(_ hex: String) -> String {
    var rest = Substring(hex)
    return [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return String(rest.prefix(count))
    }.joined(separator: "-")
  }
}
