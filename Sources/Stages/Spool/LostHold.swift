/// An error: this host does not hold a shared spool any more, or not yet. What it would do there is left to the host that does.
public struct LostHold: Error, Hashable, Sendable, CustomStringConvertible {
  /// The spool's name.
  public let spool: String
  /// The host that holds it, as far as that is known.
  public let holder: SpoolHolder?
  /// The reason, in words.
  public let reason: String

  init(_ spool: String, holder: SpoolHolder?, _ reason: String) {
    self.spool = spool
    self.holder = holder
    self.reason = reason
  }

  /// The sentence for whoever asked for something in that spool.
  public var description: String {
    let who = holder.map { ": \($0.host) holds it" + ($0.since.map { " since \($0)" } ?? "") } ?? ""
    return "spool \(spool) is not held by this host\(who) (\(reason))"
  }
}
