import Linux

/// The state in which the last daemon left the ledger, in a file of its own beside it. It shows the next start if the ledger was
/// replaced: SQLite does not notice an older copy or a missing log of writes.
///
/// It is not synced: SQLite syncs the files that it describes, in the same directory. A file that is not a trace is ignored.
struct LedgerTrace: Equatable {
  /// The file's name in the state directory.
  static let name = "ledger.left"

  /// True if a daemon has the ledger open, or ended without closing it.
  let isOpen: Bool
  /// The last event that the ledger had then.
  let lastEvent: Int64
  let identity: LedgerIdentity

  /// Returns the trace of the last daemon; nil if there is none that can be read.
  ///
  /// - Throws: an error that may pass: the next start reads it.
  static func read(_ files: LedgerFiles) throws(FileError) -> LedgerTrace? {
    do throws(FileError) {
      let bytes = try files.directory.openOurs(Array(name.utf8)).read(at: 0, count: 128)
      let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard words.count == 4, ["open", "closed"].contains(words[0]), let lastEvent = Int64(words[1]),
        let generation = Int64(words[2])
      else { return nil }
      return LedgerTrace(
        isOpen: words[0] == "open", lastEvent: lastEvent,
        identity: LedgerIdentity(uuid: String(words[3]), generation: generation))
    } catch {
      guard !error.mayPass else { throw error }
      return nil
    }
  }

  /// Replaces the earlier trace.
  func write(_ files: LedgerFiles) throws(FileError) {
    let words = "\(isOpen ? "open" : "closed") \(lastEvent) \(identity.generation) \(identity.uuid)\n"
    try files.replace(Self.name, with: words)
  }

  /// Returns the reason in words why a ledger is not the last one in use; nil if it is.
  ///
  /// - Parameters:
  ///   - lastEvent: the last event that it has now.
  ///   - hadLog: true if a log of writes stood beside it before it was opened.
  func loss(_ lastEvent: Int64, hadLog: Bool) -> String? {
    if isOpen, !hadLog { return "its log of writes is gone, and what was written last with it" }
    if lastEvent < self.lastEvent {
      return "it is an older one than was last in use: it ends with event \(lastEvent), not \(self.lastEvent)"
    }
    return nil
  }
}
