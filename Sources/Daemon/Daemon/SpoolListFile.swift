import ControlAPI
import Delivery
import Jobs
import Linux
import Reports
import Spool
import Synchronization

/// Writes the list of spools beside the control socket, which every user may read: people who drop files need not be operators.
///
/// It is a help, so no failure of it ends or delays anything.
final class SpoolListFile: Sendable {
  private let path: String
  private let current: CurrentConfiguration
  private let journal: EventLog
  /// True once a failure was reported.
  private let hasFailed = Mutex(false)

  /// - Parameter socket: the path of the control socket.
  init(besideSocket socket: String, current: CurrentConfiguration, journal: EventLog) {
    path = SpoolList.path(besideSocket: socket)
    self.current = current
    self.journal = journal
  }

  /// Writes the spools of the configuration in effect, if the directory is the daemon's own.
  func write() {
    hasFailed.withLock { hasFailed in
      do {
        try replace()
        hasFailed = false
      } catch {
        if !hasFailed {
          journal.notice("\(error); waybill add works only for those who may use the control socket")
        }
        hasFailed = true
      }
    }
  }

  private func replace() throws {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let directory = try Directory(path: String(path[...slash]))
    let facts = try directory.facts()
    // Elsewhere, somebody else could replace the list, and have people's files dropped where he likes.
    let name = Array(path[path.index(after: slash)...].utf8)
    guard facts.owner == ProcessRights.user, facts.permissions & 0o022 == 0 else {
      try removeOld(name, from: directory)
      throw Refused(path: path)
    }
    let spools = current.now.stages.spools.values.map(\.options).sorted { $0.name < $1.name }
    let kept = spools.filter(\.keepsFiles).map(\.name)
    let bytes = try ControlJSON.encode(SpoolList(spools: spools.map(SpoolMessage.init), kept: kept))
    let trial = Array(".".utf8) + name
    try? directory.remove(trial)  // Ignored: usually there is none, and if it stays, the next call says so.
    let file = try directory.create(trial, permissions: 0o644)
    try file.setPermissions(0o644, path: path)
    try file.write(bytes, path: path)
    try directory.rename(trial, replacing: name)
  }

  /// Removes a list that this daemon left when the directory was its own.
  private func removeOld(_ name: [UInt8], from directory: Directory) throws(FileError) {
    do throws(FileError) {
      let facts = try directory.facts(of: name)
      if facts.kind == .regular, facts.owner == ProcessRights.user { try directory.remove(name) }
    } catch {
      if error.code != "ENOENT" { throw error }
    }
  }

  private struct Refused: Error, CustomStringConvertible {
    let path: String
    var description: String {
      "\(DisplayText.escape(path)) is not written, because others may write in its directory"
    }
  }
}

extension SpoolMessage {
  /// Creates the message of a spool's settings alone.
  fileprivate init(_ options: SpoolOptions) {
    self.init(
      name: options.name, path: options.path, watch: "", readiness: [], leases: "", ignore: options.ignore,
      only: options.only, minSize: options.sizes.least, maxSize: options.sizes.greatest,
      marker: options.group, sidecar: options.sidecar?.text, lastScan: nil, oldestWaiting: nil,
      match: options.match?.text, unmatched: options.match == nil ? nil : options.unmatched.rawValue)
  }
}
