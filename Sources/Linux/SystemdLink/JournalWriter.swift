import Glibc
public import Linux

/// Sends all entries to the journal (``JournalOutput``), by a thread of its own: if journald does not read, only that waits.
public final class JournalWriter: Sendable {
  private let queue: JournalQueue
  /// Receives the entries in a simulation; nil if they are written.
  private let collect: (@Sendable ([JournalEntry]) -> Void)?
  /// True if standard error leads to the journal, as under systemd. Then the text of an entry must not be written there too.
  public let standardErrorIsJournal: Bool
  /// True if every entry is also on standard error, or that leads to the journal, so that nothing else need be written there.
  public var standardErrorHasEntries: Bool { standardErrorIsJournal || format == .json }
  private let format: JournalFormat

  /// Starts the thread. Entries beyond the limits are dropped, and `dropNotice` makes the entry that reports their number.
  public init(
    identifier: String, entryLimit: Int = 8192, byteLimit: Int = 8 << 20, standardError: Int32 = 2,
    format: JournalFormat = .auto,
    dropNotice: @escaping @Sendable (Int) -> JournalEntry = JournalWriter.defaultDropNotice
  ) throws(FileError) {
    let queue = JournalQueue(entryLimit: entryLimit, byteLimit: byteLimit, notice: dropNotice)
    self.queue = queue
    self.format = format
    collect = nil
    let journalStream = unsafe getenv("JOURNAL_STREAM").map { unsafe String(cString: $0) }
    standardErrorIsJournal = JournalOutput.leads(standardError, to: journalStream)
    try Thread.start("journal") {
      var thread = JournalThread(
        queue: queue, identifier: identifier, standardError: standardError, journalStream: journalStream,
        format: format)
      thread.run()
    }
  }

  /// A journal for a simulation: entries are passed on at once, on the caller's thread.
  public init(collecting collect: @escaping @Sendable ([JournalEntry]) -> Void) {
    queue = JournalQueue(entryLimit: 0, byteLimit: 0, notice: Self.defaultDropNotice)
    format = .json
    standardErrorIsJournal = false
    self.collect = collect
  }

  deinit { queue.close() }

  /// Queues an entry. It never blocks; if the queue is full, the entry is counted and dropped.
  public func send(_ entry: JournalEntry) { send([entry]) }

  /// The same for several entries at once; the thread is woken only once.
  public func send(_ entries: [JournalEntry]) {
    guard !entries.isEmpty else { return }
    if let collect { return collect(entries) }
    var entries = entries
    let now = Clocks.wall()
    for index in entries.indices { entries[index].sentAt = now }
    queue.send(entries)
  }

  /// The time for writing an entry after which there must be a problem.
  private static let patience = Duration.seconds(10)

  /// The problem that prevents entries from being written; nil if there is none.
  public var trouble: JournalTrouble? { queue.trouble(after: Self.patience) }

  /// Waits until everything that was sent is written, or the deadline has passed. Returns false if something was not written.
  public func flush(deadline: ContinuousClock.Instant) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { await self.queue.drain() }
      group.addTask {
        do { try await Task.sleep(until: deadline, clock: .continuous) } catch {
          // Cancelled because everything is written; the result of this task does not matter any more.
        }
        return false
      }
      let written = await group.next() ?? false
      group.cancelAll()
      return written
    }
  }

  /// The entry `N journal entries were dropped`, with the number in the field DROPPED.
  public static let defaultDropNotice: @Sendable (Int) -> JournalEntry = { count in
    let words = count == 1 ? "1 journal entry was dropped" : "\(count) journal entries were dropped"
    var entry = JournalEntry(message: words, priority: .warning)
    entry.append("DROPPED", count)
    return entry
  }
}

/// The form of entries.
public enum JournalFormat: String, CaseIterable, Sendable {
  /// Depends on the environment: to the journal with fields, or as text on standard error.
  case auto
  /// Lines of JSON on standard error, with all fields.
  case json
}

/// A problem with writing entries.
public struct JournalTrouble: Hashable, Sendable {
  /// The number of entries that wait.
  public let waiting: Int
  /// The number of entries that were dropped or lost since the last report about that.
  public let dropped: Int
}
