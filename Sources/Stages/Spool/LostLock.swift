/// An error: this host does not hold a shared spool, or not any more. Only the holder may work in the spool.
public struct LostLock: Error, Hashable, Sendable, CustomStringConvertible {
  /// The spool's name.
  let spool: String
  /// The host that holds it, as far as that is known.
  let holder: LockHolder?
  /// The reason, in words.
  public let reason: String

  init(_ spool: String, holder: LockHolder?, _ reason: String) {
    self.spool = spool
    self.holder = holder
    self.reason = reason
  }

  /// The error as a sentence, for the person who asked for something in that spool.
  public var description: String {
    let who = holder.map { ": \($0.host) holds it" + ($0.since.map { " since \($0)" } ?? "") } ?? ""
    return "spool \(spool) is not held by this host\(who) (\(reason))"
  }
}
