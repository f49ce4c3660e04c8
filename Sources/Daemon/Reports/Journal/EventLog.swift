package import Jobs
import Messages
package import Linux
package import Settings
import Synchronization
package import SystemdLink

/// Writes events to the journal: one entry each, with the fields that waybilld(8) documents.
package final class EventLog: Sendable {
  let writer: JournalWriter
  private let level: Mutex<DaemonSettings.JournalDetail>
  private let clock: Clock
  let folds: JournalFolds

  package init(writer: JournalWriter, level: DaemonSettings.JournalDetail, clock: Clock, on machine: Machine)
    throws(FileError)
  {
    self.writer = writer
    self.level = Mutex(level)
    self.clock = clock
    folds = try JournalFolds(writer: writer, clock: clock, on: machine)
  }

  /// Makes the entry that reports how many entries found the queue full.
  package static let dropNotice: @Sendable (Int) -> JournalEntry = { count in
    var entry = EventLog.entry(.journalOverflow, .journalOverflow(count: count))
    entry.append(.count, count)
    return entry
  }

  package func set(_ level: DaemonSettings.JournalDetail) { self.level.withLock { $0 = level } }

  /// Writes the events of a commit, in their order. Their entries go to the journal's thread together, because waking it costs
  /// more than an entry.
  package func log(_ events: [JobEvent]) {
    let level = level.withLock { $0 }
    var entries: [JournalEntry] = []
    // By index, so that the events that are not told are not copied.
    for index in events.indices where level.includes(events[index].kind) {
      let event = events[index]
      guard event.kind.isFolded else {
        entries.append(entry(of: event))
        continue
      }
      writer.send(exchange(&entries, with: []))
      folds.send(reason(of: event), event.messageOfMany) { entry(of: event) }
    }
    writer.send(entries)
  }

  /// Writes that requests are in flight after a rest, or that none has been for a while.
  package func activity(isBusy: Bool, uploads: Int, registrations: Int) {
    let message =
      isBusy ? "busy: uploading \(uploads), registering \(registrations)" : "idle: no request is in flight"
    var entry = Self.entry(.activity, .text(message))
    entry.append(.activity, isBusy ? "busy" : "idle")
    entry.append(.uploads, uploads)
    entry.append(.registrations, registrations)
    writer.send(entry)
  }

  /// Writes an entry about the daemon itself: `started`, `stopping`.
  package func log(
    _ event: MessageIdentifier, _ message: String, version: String, file: String = #fileID, line: Int = #line
  ) {
    var entry = Self.entry(event, .text(message), file: file, line: line)
    entry.append(.version, version)
    writer.send(entry)
  }

  /// Writes an error of the daemon itself: something that it got wrong, or cannot do.
  package func error(_ message: String, file: String = #fileID, line: Int = #line) {
    writer.send(JournalEntry(message: message, priority: .err, file: file, line: line))
  }

  /// Writes something that is no error, but worth knowing.
  package func notice(_ message: String, file: String = #fileID, line: Int = #line) {
    writer.send(JournalEntry(message: message, priority: .notice, file: file, line: line))
  }

  /// Sends the entries of the events that are being folded. For the end of the daemon.
  package func flush() { folds.flush() }

  var clockOffset: Duration { clock.now() - clock.steady() }

  /// Creates an entry for an event, with its fixed id and level. Programs know its message by the code.
  static func entry(
    _ event: MessageIdentifier, _ message: Message, file: String = #fileID, line: Int = #line
  ) -> JournalEntry {
    var entry = JournalEntry(
      message: message.text, priority: event.priority, messageID: event.id, file: file, line: line)
    entry.append(.event, event.name)
    guard let message = message.coded else { return entry }
    entry.append(.messageCode, message.code)
    entry.append(.messageArguments, message.argumentsJSON)
    return entry
  }
}

extension DaemonSettings.JournalDetail {
  fileprivate func includes(_ kind: JobEvent.Kind) -> Bool {
    switch MessageIdentifier.job(kind).priority {
    case .debug: self == .debug
    case .info: self != .notice
    case .notice, .warning, .err, .crit, .alert, .emerg: true
    }
  }
}
