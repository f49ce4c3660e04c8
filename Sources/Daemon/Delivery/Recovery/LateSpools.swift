import Synchronization

/// The spools whose claimed files are not all in the ledger yet: they could not be used, or read, when the daemon first opened
/// them.
final class LateSpools: Sendable {
  private struct Contents {
    /// True for a spool in which claimed files were found.
    var spools: [String: Bool] = [:]
    var recoversFromLoss = false
  }

  private let state = Mutex(Contents())

  var isEmpty: Bool { state.withLock(\.spools.isEmpty) }

  /// True if the recovery at the start waits for some of them. A spool that a reload has added does not count.
  var recoversFromLoss: Bool {
    get { state.withLock(\.recoversFromLoss) }
    set { state.withLock { $0.recoversFromLoss = newValue } }
  }

  func contains(_ name: String) -> Bool { state.withLock { $0.spools[name] != nil } }

  func insert(_ name: String) { state.withLock { $0.spools[name] = $0.spools[name] ?? false } }

  /// Removes a spool; returns true if it was late.
  func remove(_ name: String) -> Bool { state.withLock { $0.spools.removeValue(forKey: name) != nil } }

  func foundClaims(in name: String) { state.withLock { if $0.spools[name] != nil { $0.spools[name] = true } } }

  func hadClaims(_ name: String) -> Bool { state.withLock { $0.spools[name] == true } }

  /// Forgets all other spools, and returns their names.
  func keep(only others: Set<String>) -> [String] {
    state.withLock { state in
      let gone = state.spools.keys.filter { !others.contains($0) }.sorted()
      for name in gone { state.spools[name] = nil }
      return gone
    }
  }
}
