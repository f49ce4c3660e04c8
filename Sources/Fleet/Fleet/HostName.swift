/// The name by which a person means a host: the host's own name, or the uuid of its ledger.
///
/// A host may choose any name, even the uuid of another host's ledger. So a uuid always means a ledger.
enum HostName {
  /// Returns the condition that a row is that of the host.
  ///
  /// - Parameter name: the mark of a value, or a column of the statement.
  static func condition(_ name: String, _ table: String) -> String {
    "CASE WHEN \(name) ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' THEN \(table).ledger::text = lower(\(name)) "
      + "ELSE \(table).name = \(name) END"
  }
}
