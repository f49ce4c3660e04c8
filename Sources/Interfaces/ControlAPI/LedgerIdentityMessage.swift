/// The identity of a daemon's ledger.
public struct LedgerIdentityMessage: Hashable, Sendable, Codable {
  /// The UUID that the ledger got when it was created.
  public var uuid: String
  /// A number that grows each time the ledger may not continue where it was left: after a restore, or when it is built anew.
  public var generation: Int64

  /// Creates the message.
  public init(uuid: String, generation: Int64) {
    self.uuid = uuid
    self.generation = generation
  }
}
