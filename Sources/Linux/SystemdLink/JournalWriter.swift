import Glibc
import Linux

/// The one way to the journal: entries are queued and a thread of its own writes them.
///
/// Entries go to journald with their fields if its socket is there. They go to standard error as text if that is a
/// terminal or if there is no journal. They never go into the same journal twice. A journald that does not read holds
/// up this thread alone.
public final class JournalWriter: Sendable {
  private let queue: JournalQueue
  /// Takes the entries in a simulation; nil where they are written.
  private let collect: (@Sendable ([JournalEntry]) -> Void)?
  /// True if standard error leads into the journal, as under systemd. Then an entry's text must not be written there
  /// too.
  public let standardErrorIsJournal: Bool
  /// True if every entry is also on standard error, or leads from there into the journal. Then nothing else needs to be said there.
  public var standardErrorHasEntries: Bool { standardErrorIsJournal || format == .json }
  private let format: JournalFormat

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - identifier: SYSLOG_IDENTIFIER, what `journalctl -t` asks for.
  ///   - entryLimit: the most entries that wait; further ones are counted and dropped.
  ///   - byteLimit: the most bytes that waiting entries take.
  ///   - standardError: the descriptor that text goes to.
  ///   - format: the form of entries, and with it their way.
  ///   - dropNotice: the entry that says how many were dropped.
  /// - Throws: ``SystemdError`` if no thread can be started.
  public init(
    identifier: String, entryLimit: Int = 8192, byteLimit: Int = 8 << 20, standardError: Int32 = 2,
    format: JournalFormat = .auto,
    dropNotice: @escaping @Sendable (Int) -> JournalEntry = JournalWriter.defaultDropNotice
  ) throws(SystemdError) {
    let queue = JournalQueue(entryLimit: entryLimit, byteLimit: byteLimit, notice: dropNotice)
    self.queue = queue
    self.format = format
    collect = nil
    let journalStream = unsafe getenv("JOURNAL_STREAM").map { unsafe String(cString: $0) }
    standardErrorIsJournal = JournalOutput.leads(standardError, to: journalStream)
    try SystemdError.wrapping { () throws(ThreadError) in
      try Thread.start("journal") {
        var thread = JournalThread(
          queue: queue, identifier: identifier, standardError: standardError, journalStream: journalStream,
          format: format)
        thread.run()
      }
    }
  }

  /// A journal of a simulation: entries are handed over at once, on the caller's thread.
  public init(collecting collect: @escaping @Sendable ([JournalEntry]) -> Void) {
    queue = JournalQueue(entryLimit: 0, byteLimit: 0, notice: Self.defaultDropNotice)
    format = .json
    standardErrorIsJournal = false
    self.collect = collect
  }

  deinit { queue.close() }

  /// Queues an entry. It never blocks; if the queue is full, the entry is counted and dropped.
  public func send(_ entry: JournalEntry) { send([entry]) }

  /// The same for entries of one moment; the thread is woken once for all of them.
  public func send(_ entries: [JournalEntry]) {
    guard !entries.isEmpty else { return }
    if let collect { return collect(entries) }
    var entries = entries
    let now = Clocks.wall()
    for index in entries.indices { entries[index].sentAt = now }
    queue.send(entries)
  }

  /// The time that writing an entry may take before something is wrong.
  private static let patience = Duration.seconds(10)

  /// The trouble that keeps entries from being written; nil while they are.
  public var trouble: JournalTrouble? { queue.trouble(after: Self.patience) }

  /// Waits until all that was sent is written, or the deadline has passed. False if something was not written.
  public func flush(deadline: ContinuousClock.Instant) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { await self.queue.drain() }
      group.addTask {
        do { try await Task.sleep(until: deadline, clock: .continuous) } catch {
          // Cancelled because everything is written: its answer no longer counts.
        }
        return false
      }
      let written = await group.next() ?? false
      group.cancelAll()
      return written
    }
  }

  /// `N journal entries were dropped`, with the number in DROPPED.
  public static let defaultDropNotice: @Sendable (Int) -> JournalEntry = { count in
    let words = count == 1 ? "1 journal entry was dropped" : "\(count) journal entries were dropped"
    var entry = JournalEntry(message: words, priority: .warning)
    entry.append("DROPPED", count)
    return entry
  }
}

/// The form of entries.
public enum JournalFormat: String, CaseIterable, Sendable {
  /// As the surroundings want it: to the journal with fields, or text on standard error.
  case auto
  /// Lines of JSON on standard error, with all fields.
  case json
}

/// Entries that do not get to where they are read.
public struct JournalTrouble: Hashable, Sendable {
  /// The number of entries that wait.
  public let waiting: Int
  /// The number of entries that were dropped since entries were last written.
  public let dropped: Int
}
