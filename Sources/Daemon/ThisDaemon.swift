import Foundation
import LinuxFiles
import Spool

/// The identity of this daemon among the hosts that share a spool.
enum ThisDaemon {
  /// The file in the state directory that says which ledger this is.
  private static let name = "ledger.host"

  /// Returns the daemon as holders of spools are named. Its ledger keeps the identity through restarts.
  static func holder(state: String) throws(FileError) -> SpoolHolder {
    let path = state + "/" + name
    let ledger: String
    do throws(FileError) {
      ledger = String(decoding: try readSmallFile(path: path, limit: 64), as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    } catch {
      guard error.code == "ENOENT" else { throw error }
      ledger = UUID().uuidString.lowercased()
      let file = try Directory(path: state).create(Array(name.utf8), permissions: 0o600)
      try file.write(Array((ledger + "\n").utf8), path: path)
    }
    return SpoolHolder(
      host: ProcessInfo.processInfo.hostName, pid: ProcessInfo.processInfo.processIdentifier, ledger: ledger)
  }
}
