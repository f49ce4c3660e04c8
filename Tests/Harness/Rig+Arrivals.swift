import Foundation
import SQLite

extension Rig {
  /// Has the last files of all spools have come so much earlier, while the daemon is stopped.
  func setArrivalsBack(bySeconds seconds: Int64) throws {
    let database = try Database(path: setup.state.appending(path: "ledger.sqlite").path)
    defer { database.close() }
    let time = seconds * 1_000_000
    try database.execute("UPDATE arrival SET at = at - ?, resumed_at = resumed_at - ?", [time, time])
    try database.execute("UPDATE job SET created_at = created_at - ?", [time])
  }
}
