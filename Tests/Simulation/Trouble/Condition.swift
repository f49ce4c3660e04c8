/// One kind of trouble with a server, or on the way to it.
package enum Condition: Codable, Hashable, Sendable {
  case refusesConnections
  case hasNoName
  case cutsHandshakes
  case hasWrongCertificate
  /// Packets vanish: no connection, and no error either.
  case dropsPackets
  /// Connections stand, and no answer comes. The server acts on that many requests in a thousand.
  case isSilent(actsPermille: Int)
  /// Connections are lost before the server acts, or after it has acted and before its answer is whole.
  case loses(beforePermille: Int, afterPermille: Int)
  /// It answers with this status. The server behind it has acted on that many of these requests in a thousand.
  case answers(status: Int, permille: Int, retryAfter: Wait, actsPermille: Int)
  case refusesKeys
  /// It refuses some requests for what they are about, and always the same ones.
  case refusesJobs(status: Int, permille: Int, salt: Int)
  case answersWithPage(status: Int)
  case isSlow(Latency)

  package enum Wait: Codable, Hashable, Sendable {
    case absent
    case seconds(Int)
    case date(after: Int)
  }
}

package struct Spell: Codable, Hashable, Sendable {
  package var from: Duration
  package var until: Duration
  package var condition: Condition

  package init(_ condition: Condition, from: Duration, until: Duration) {
    self.condition = condition
    self.from = from
    self.until = until
  }
}
