import Jobs
import Linux
import Messages
import Synchronization
import SystemdLink

/// Sends entries that may come in large numbers: each as it is, or many as one (see ``JournalFolding``).
///
/// One timer runs while something is folded, and none otherwise.
final class JournalFolds: Sendable {
  private struct Contents {
    var folding = JournalFolding()
    var alarm: Alarm?
  }

  /// The timer is set under the same lock, so that it is never set from an older state.
  private let state = Mutex(Contents())
  private let writer: JournalWriter
  private let clock: Clock

  init(writer: JournalWriter, clock: Clock, on machine: Machine) throws(FileError) {
    self.writer = writer
    self.clock = clock
    let ring: @Sendable () -> Void = { [weak self] in self?.sendEnded { $0.end(at: clock.steady()) } }
    let alarm = try Alarm("waybill.journal", on: machine, ring: ring)
    state.withLock { $0.alarm = alarm }
  }

  func send(_ reason: JournalFolding.Reason, _ message: Message, words: String? = nil, _ entry: () -> JournalEntry) {
    let answer = state.withLock { state in
      defer { state.alarm?.set(state.folding.nextEnd?.microseconds) }
      return state.folding.add(reason, message, words: words, at: clock.steady())
    }
    if let fold = answer.ended { writer.send(Self.entry(of: fold)) }
    if answer.isTold { writer.send(entry()) }
  }

  /// Sends an entry for each fold now. For the end of the daemon.
  func flush() { sendEnded { $0.endAll() } }

  private func sendEnded(_ end: @Sendable (inout JournalFolding) -> [JournalFolding.Fold]) {
    let folds = state.withLock { state in
      defer { state.alarm?.set(state.folding.nextEnd?.microseconds) }
      return end(&state.folding)
    }
    for fold in folds { writer.send(Self.entry(of: fold)) }
  }

  /// Returns the entry of a fold, e.g. `480 more: Upload failed: HTTP 500 Internal Server Error`.
  static func entry(of fold: JournalFolding.Fold) -> JournalEntry {
    var entry = EventLog.entry(fold.reason.event, .more(count: fold.count, what: fold.message))
    entry.append(.spool, fold.reason.spool)
    entry.append(.reason, fold.words)
    entry.append(of: fold.reason)
    entry.append(.count, fold.count)
    return entry
  }
}
