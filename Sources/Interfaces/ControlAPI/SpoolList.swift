/// The spools of a daemon, as it leaves them beside its control socket for people who drop files and may not use the socket.
///
/// It has what `waybill add` needs to know of a spool, and nothing that changes while the daemon works.
public struct SpoolList: Hashable, Sendable, Codable {
  /// The greatest number of bytes of the file: a spool has a few hundred.
  public static let longest = 4 << 20

  /// The spools.
  public var spools: [SpoolMessage]
  /// The names of those in which files stay where they are. They have no directory `.waybill`, and all others have one.
  public var kept: [String]

  /// Creates a list.
  public init(spools: [SpoolMessage], kept: [String]) { (self.spools, self.kept) = (spools, kept) }

  /// Returns the path of the list: `spools.json` beside `control.sock`, and `NAME.spools.json` beside another socket, so that two
  /// daemons with sockets in one directory have each their own.
  public static func path(besideSocket socket: String) -> String {
    let slash = socket.lastIndex(of: "/").map { socket.index(after: $0) } ?? socket.startIndex
    let last = socket[slash...]
    let name = last.hasSuffix(".sock") ? last.dropLast(5) : last
    return socket[..<slash] + (name == "control" ? "" : "\(name).") + "spools.json"
  }
}
