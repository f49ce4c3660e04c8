import Linux

/// The entries that wait for the thread that writes them. The queue is bounded, and sending never blocks.
///
/// Entries that do not fit are counted. When a quarter of the queue is free again, an entry reports how many were dropped. Its
/// place in the order is right after the last entry that fitted.
final class JournalQueue: Sendable {
  private struct Contents {
    var waiting: [JournalEntry] = []
    /// The number of entries that are not written yet, including those that the writer has taken.
    var entries = 0
    /// Their size in bytes.
    var bytes = 0
    /// The number of entries that did not fit since the last report.
    var dropped = 0
    /// The number of entries that could not be written at all. They are reported together with the next entry that somebody
    /// sends: a report that fails too must not cause another report.
    var lost = 0
    var closed = false
    /// The time when the last entry was written, or when the first waiting entry was queued.
    var movedAt = ContinuousClock.now
    var drainers: [Int: CheckedContinuation<Bool, Never>] = [:]
    var nextDrainer = 0
    /// The writer's activity: only one that sleeps has to be woken.
    var writer = Writer.busy
    /// True if a waiting entry is an error or worse.
    var isUrgent = false
  }

  /// An activity of the writer.
  enum Writer {
    /// It writes, or has been woken to write.
    case busy
    /// It sleeps for ``pause``, while entries gather.
    case rests
    /// It sleeps until there is an entry.
    case listens
  }

  /// The longest rest of the writer.
  static let pause = Duration.milliseconds(10)

  private let contents = ConditionLock(Contents())
  private let entryLimit: Int
  private let byteLimit: Int
  private let pause: Duration
  private let notice: @Sendable (Int) -> JournalEntry

  init(
    entryLimit: Int, byteLimit: Int, pause: Duration = pause, notice: @escaping @Sendable (Int) -> JournalEntry
  ) {
    self.entryLimit = entryLimit
    self.byteLimit = byteLimit
    self.pause = pause
    self.notice = notice
  }

  /// Queues entries, and counts those that do not fit. Returns true if the writer was woken: once, and not if it works or rests.
  @discardableResult
  func send(_ entries: [JournalEntry]) -> Bool {
    let wake = contents.withLock { state -> Bool in
      for entry in entries { queueIfItFits(entry, &state) }
      return mustWake(&state)
    }
    if wake { contents.wakeAll() }
    return wake
  }

  /// Returns true if the writer sleeps and has to write now. Nobody else wakes it then.
  private func mustWake(_ state: inout Contents) -> Bool {
    let isNeeded =
      switch state.writer {
      case .busy: false
      case .rests: mayNotRest(state)
      case .listens: !state.waiting.isEmpty || state.dropped > 0
      }
    if isNeeded { state.writer = .busy }
    return isNeeded
  }

  /// Returns true if the entries have to be written at once: one is an error, somebody waits for them, or the queue fills up.
  private func mayNotRest(_ state: Contents) -> Bool {
    state.isUrgent || state.closed || !state.drainers.isEmpty || state.entries >= max(1, entryLimit / 4)
      || state.bytes >= byteLimit / 4
  }

  private func queueIfItFits(_ entry: JournalEntry, _ state: inout Contents) {
    if state.dropped > 0 {
      // Not as soon as one entry fits: during an overload there would be a report for each queued entry.
      guard state.entries <= entryLimit / 4 * 3, state.bytes <= byteLimit / 4 * 3 else { return state.dropped += 1 }
      queueNotice(&state)
    }
    guard state.entries < entryLimit, state.bytes + entry.size <= byteLimit else { return state.dropped += 1 }
    if state.lost > 0 { queueNotice(&state) }
    queue(entry, &state)
  }

  /// For the writer: returns all waiting entries, in order; blocks while there are none. Nil once the queue is closed and empty.
  func nextBatch() -> [JournalEntry]? {
    // The outer optional means "keep waiting", the inner one "the end".
    contents.wait { state -> [JournalEntry]?? in
      if state.waiting.isEmpty && state.dropped > 0 { queueNotice(&state) }
      if !state.waiting.isEmpty {
        let batch = state.waiting
        state.waiting = []
        state.isUrgent = false
        state.writer = .busy
        return .some(batch)
      }
      if state.closed { return .some(nil) }
      state.writer = .listens
      return nil
    }
  }

  /// For the writer: sleeps after a batch while further entries gather, for ``pause`` at most.
  func rest() {
    _ = contents.wait(atMost: pause) { state -> Void? in
      if mayNotRest(state) { return () }
      state.writer = .rests
      return nil
    }
  }

  /// The writer's present activity.
  var writer: Writer { contents.withLock { $0.writer } }

  /// For the writer: records that this number of entries, with this number of bytes, was written.
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

  /// For the writer: records that this number of entries could not be written at all.
  func lost(_ entries: Int) { contents.withLock { $0.lost += entries } }

  /// Lets the writer end after everything is written.
  func close() {
    contents.withLock {
      $0.closed = true
      $0.writer = .busy
    }
    contents.wakeAll()
  }

  /// Returns a problem if entries were dropped or lost and not reported yet, or if none was written for this long.
  func trouble(after patience: Duration) -> JournalTrouble? {
    contents.withLock { state in
      let isStuck = state.entries > 0 && ContinuousClock.now - state.movedAt >= patience
      guard isStuck || state.dropped > 0 || state.lost > 0 else { return nil }
      return JournalTrouble(waiting: state.entries, dropped: state.dropped + state.lost)
    }
  }

  /// True if no more entries will be sent.
  var isClosed: Bool { contents.withLock { $0.closed } }

  /// Waits until everything that is queued, also meanwhile, is written; false if the task is cancelled first.
  func drain() async -> Bool {
    let number = contents.withLock { state -> Int in
      state.nextDrainer += 1
      return state.nextDrainer
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (answer, wake) = contents.withLock { state -> (Bool?, Bool) in
          if state.entries == 0 && state.dropped == 0 { return (true, false) }
          // A cancellation before this point did not find the continuation.
          if Task.isCancelled { return (false, false) }
          state.drainers[number] = continuation
          return (nil, mustWake(&state))
        }
        if wake { contents.wakeAll() }
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
    if entry.priority.rawValue <= JournalEntry.Priority.err.rawValue { state.isUrgent = true }
  }

  private func queueNotice(_ state: inout Contents) {
    var entry = notice(state.dropped + state.lost)
    entry.sentAt = Clocks.wall()
    state.dropped = 0
    state.lost = 0
    queue(entry, &state)
  }
}
