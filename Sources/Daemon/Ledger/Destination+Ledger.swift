import Jobs

extension Destination {
  /// Reads a destination from a column.
  ///
  /// - Throws: ``LedgerError`` for a text that this program does not write.
  init(stored text: String) throws {
    guard let destination = Destination(text) else {
      throw LedgerError(.configuration, "the ledger has the destination \"\(text)\", which this program does not know")
    }
    self = destination
  }
}

extension Pause.Target {
  /// Reads the target of a pause, or of an event of a pause or a gate, from a column.
  ///
  /// - Throws: ``LedgerError`` for a text that this program does not write.
  init(stored name: String) throws {
    guard let target = Pause.Target(name: name) else {
      throw LedgerError(.configuration, "the ledger has a pause of \"\(name)\", which this program does not know")
    }
    self = target
  }
}
