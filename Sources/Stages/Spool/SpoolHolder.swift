import FoundationEssentials
import Glibc
public import Jobs
import Linux

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

  func holding(since time: Timestamp) -> SpoolHolder {
    var holder = self
    holder.since = time.rfc3339Milliseconds
    return holder
  }

  /// Reads who holds a spool, or held it last; nil if nobody has held it yet, or the file is none of ours.
  static func read(from claims: Directory) throws(FileError) -> SpoolHolder? {
    guard case .of(let entry) = try HolderFile.read(from: claims) else { return nil }
    return entry.holder
  }
}
