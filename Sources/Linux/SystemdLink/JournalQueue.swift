import Linux

/// Entries on their way to the thread that writes them: bounded, and never blocking the one who sends.
///
/// Entries that do not fit are counted. Once a quarter of the queue is free again, an entry says how many were dropped.
/// It takes its place in the order, right after the last entry that fitted.
final class JournalQueue: Sendable {
  private struct Contents {
    var waiting: [JournalEntry] = []
    /// Entries not yet written, those in the writer's hands included.
    var entries = 0
    /// Their size in bytes.
    var bytes = 0
    /// The number of entries that did not fit since the last notice.
    var dropped = 0
    /// The number of entries that could not be written at all. They are reported with the next entry that somebody
    /// sends: a notice that fails too must not call for another notice.
    var lost = 0
    var closed = false
    /// When the last entry was written, or the first of those that wait came.
    var movedAt = ContinuousClock.now
    var drainers: [Int: CheckedContinuation<Bool, Never>] = [:]
    var nextDrainer = 0
  }

  private let contents = ConditionLock(Contents())
  private let entryLimit: Int
  private let byteLimit: Int
  private let notice: @Sendable (Int) -> JournalEntry

  init(entryLimit: Int, byteLimit: Int, notice: @escaping @Sendable (Int) -> JournalEntry) {
    self.entryLimit = entryLimit
    self.byteLimit = byteLimit
    self.notice = notice
  }

  /// Queues entries, and counts those as dropped that do not fit. The writer is woken once for all of them.
  func send(_ entries: [JournalEntry]) {
    let wake = contents.withLock { state -> Bool in
      let wasEmpty = state.waiting.isEmpty
      for entry in entries { queueIfItFits(entry, &state) }
      return wasEmpty && !state.waiting.isEmpty
    }
    // The writer takes all that waits at once, so it can only be asleep if nothing waited.
    if wake { contents.wakeAll() }
  }

  private func queueIfItFits(_ entry: JournalEntry, _ state: inout Contents) {
    if state.dropped > 0 {
      // Not as soon as one entry fits, or an overload would be answered with a notice for each entry that gets in.
      guard state.entries <= entryLimit / 4 * 3, state.bytes <= byteLimit / 4 * 3 else { return state.dropped += 1 }
      queueNotice(&state)
    }
    guard state.entries < entryLimit, state.bytes + entry.size <= byteLimit else { return state.dropped += 1 }
    if state.lost > 0 { queueNotice(&state) }
    queue(entry, &state)
  }

  /// The writer's side: all that waits, in order; blocks while there is nothing. Nil once closed and empty.
  func nextBatch() -> [JournalEntry]? {
    // Two levels: outside "an answer is there", inside "the end".
    contents.wait { state -> [JournalEntry]?? in
      if state.waiting.isEmpty && state.dropped > 0 { queueNotice(&state) }
      if !state.waiting.isEmpty {
        let batch = state.waiting
        state.waiting = []
        return .some(batch)
      }
      return state.closed ? .some(nil) : nil
    }
  }

  /// The writer's side: so many entries, of so many bytes together, are written.
  func finished(_ entries: Int, bytes: Int) {
    let drained = contents.withLock { state -> [CheckedContinuation<Bool, Never>] in
      state.movedAt = .now
      state.entries -= entries
      state.bytes -= bytes
      guard state.entries == 0, state.dropped == 0, !state.drainers.isEmpty else { return [] }
      defer { state.drainers = [:] }
      return Array(state.drainers.values)
    }
    for continuation in drained { continuation.resume(returning: true) }
  }

  /// The writer's side: so many entries could not be written at all.
  func lost(_ entries: Int) { contents.withLock { $0.lost += entries } }

  /// Lets the writer end once all is written.
  func close() {
    contents.withLock { $0.closed = true }
    contents.wakeAll()
  }

  /// Returns the trouble, if entries were dropped or lost and nobody could be told, or if none was written for so long.
  func trouble(after patience: Duration) -> JournalTrouble? {
    contents.withLock { state in
      let isStuck = state.entries > 0 && ContinuousClock.now - state.movedAt >= patience
      guard isStuck || state.dropped > 0 || state.lost > 0 else { return nil }
      return JournalTrouble(waiting: state.entries, dropped: state.dropped + state.lost)
    }
  }

  /// True if nobody sends any more.
  var isClosed: Bool { contents.withLock { $0.closed } }

  /// Waits until everything queued so far, and what comes meanwhile, is written; false if the task is cancelled first.
  func drain() async -> Bool {
    let number = contents.withLock { state -> Int in
      state.nextDrainer += 1
      return state.nextDrainer
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = contents.withLock { state -> Bool? in
          if state.entries == 0 && state.dropped == 0 { return true }
          // A cancel that came before this looked in vain for the continuation.
          if Task.isCancelled { return false }
          state.drainers[number] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      contents.withLock { $0.drainers.removeValue(forKey: number) }?.resume(returning: false)
    }
  }

  private func queue(_ entry: JournalEntry, _ state: inout Contents) {
    if state.entries == 0 { state.movedAt = .now }
    state.waiting.append(entry)
    state.entries += 1
    state.bytes += entry.size
  }

  private func queueNotice(_ state: inout Contents) {
    var entry = notice(state.dropped + state.lost)
    entry.sentAt = Clocks.wall()
    state.dropped = 0
    state.lost = 0
    queue(entry, &state)
  }
}
