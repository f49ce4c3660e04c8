/// The identity of a daemon's ledger.
public struct LedgerIdentityMessage: Hashable, Sendable, Codable {
  /// The UUID that the ledger got when it was made.
  public var uuid: String
  /// A number that goes up each time the ledger may not go on where it was left: after a restore, or if it was built anew.
  public var generation: Int64

  /// Creates the message.
  public init(uuid: String, generation: Int64) {
    self.uuid = uuid
    self.generation = generation
  }
}
