import Jobs
public import Messages

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
  public var message: Message {
    guard let holder else { return .notHeldHere(spool: spool, why: reason) }
    return .notHeldHereBut(spool: spool, holder: holder.holds, why: reason)
  }

  /// The same in English.
  public var description: String { message.text }
}

extension LockHolder {
  /// The sentence that it holds the spool.
  public var holds: Message {
    let host = DisplayText.escape(host)
    return since.map { .hostHoldsItSince(host: host, since: $0) } ?? .hostHoldsIt(host: host)
  }
}
