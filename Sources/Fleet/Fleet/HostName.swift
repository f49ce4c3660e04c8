/// The name by which a person means a host: the host's own name, or the uuid of its ledger.
///
/// A host may choose any name, even the uuid of another host's ledger. So a uuid always means a ledger.
struct HostName {
  private let isLedger: Bool

  init(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    isLedger =
      parts.map(\.count) == [8, 4, 4, 4, 12]
      && parts.allSatisfy { $0.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } }
  }

  /// Returns the condition that a row is that of the host.
  func condition(_ mark: String, _ table: String) -> String {
    isLedger ? "\(table).ledger = \(mark)::uuid" : "\(table).name = \(mark)"
  }

  /// Returns the same for a name that is a column of a statement.
  static func condition(ofColumn column: String, _ table: String) -> String {
    "CASE WHEN \(column) ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' THEN \(table).ledger::text = lower(\(column)) "
      + "ELSE \(table).name = \(column) END"
  }
}
