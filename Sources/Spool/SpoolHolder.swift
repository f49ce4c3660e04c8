import FoundationEssentials
import Glibc
public import Jobs
import LinuxFiles

/// The daemon that holds a shared spool, as `.waybill/holder` names it.
public struct SpoolHolder: Hashable, Sendable, Codable {
  /// The name of its host.
  public let host: String
  /// Its process there.
  public let pid: Int32
  /// The identity of its ledger: the same after a restart, and another one for each ledger.
  public let ledger: String
  /// The time since which it holds the spool, by its own clock (RFC 3339); nil before it does.
  public private(set) var since: String?

  /// A daemon that may come to hold spools.
  public init(host: String, pid: Int32, ledger: String) {
    self.host = host
    self.pid = pid
    self.ledger = ledger
  }

  /// The time since which it holds the spool.
  public var heldSince: Timestamp? { since.flatMap { Timestamp(rfc3339: $0) } }

  /// True if both work with the same ledger, so that one is the other after a restart.
  public func hasLedger(of other: SpoolHolder) -> Bool { ledger == other.ledger }

  static let name = Array("holder".utf8)
  private static let mostBytes = 4096

  func holding(since time: Timestamp) -> SpoolHolder {
    var holder = self
    holder.since = time.rfc3339Milliseconds
    return holder
  }

  /// Reads who holds a spool, or held it last; nil if nobody has held it yet, or the file is none of ours.
  static func read(from claims: Directory) throws(FileError) -> SpoolHolder? {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try claims.openOurs(name).read(at: 0, count: mostBytes)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
    // What cannot be read was written by nobody who could hold the spool now: it is replaced by the next holder.
    return try? JSONDecoder().decode(SpoolHolder.self, from: Data(bytes))
  }

  var encoded: [UInt8] {
    get throws(FileError) { try RecordFile.encode(self, Self.name) }
  }
}
