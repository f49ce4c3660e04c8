import FoundationEssentials
import Glibc
public import Jobs
import Linux

/// The daemon that holds a shared spool, as `.waybill/holder` names it.
public struct LockHolder: Hashable, Sendable, Codable {
  /// The name of its host.
  public let host: String
  /// The id of its process on that host.
  public let pid: Int32
  /// The identity of its ledger. It is the same after a restart, and different for each ledger.
  public let ledger: String
  /// The time since which it holds the spool, by its own clock (RFC 3339); nil before it does.
  public private(set) var since: String?

  /// A daemon that does not hold a spool yet.
  public init(host: String, pid: Int32, ledger: String) {
    self.host = host
    self.pid = pid
    self.ledger = ledger
  }

  /// ``since`` as a time.
  public var heldSince: Timestamp? { since.flatMap { Timestamp(rfc3339: $0) } }

  /// True if both have the same ledger, so that they are one daemon before and after a restart.
  public func hasLedger(of other: LockHolder) -> Bool { ledger == other.ledger }

  func locking(since time: Timestamp) -> LockHolder {
    var holder = self
    holder.since = time.rfc3339Milliseconds
    return holder
  }

  /// Reads the holder of a spool, or the last one; nil if nobody has held it yet, or the file is damaged.
  static func read(from claims: Directory) throws(FileError) -> LockHolder? {
    guard case .of(let entry) = try HolderFile.read(from: claims) else { return nil }
    return entry.holder
  }
}
