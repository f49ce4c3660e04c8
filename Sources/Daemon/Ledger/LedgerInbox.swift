/// One caller's change. `run` may be called again if a commit is tried again; at the end either its reply or `refuse` is called once.
struct LedgerChange: Sendable {
  let run: @Sendable (inout LedgerBatch) throws -> @Sendable () -> Void
  let refuse: @Sendable (any Error) -> Void

  static func unawaited(_ change: @escaping @Sendable (inout LedgerBatch) throws -> Void) -> LedgerChange {
    LedgerChange { batch in
      try change(&batch)
      return {}
    } refuse: { _ in
    }
  }
}

/// The changes that wait for the writer, and the writer's state. Callers add from any thread, so it is behind a lock.
struct LedgerInbox {
  private var changes: [LedgerChange] = []
  private var notes: [LedgerChange] = []
  private var isNoteTimerSet = false
  private var isDraining = false
  /// The batch that found the disk full and is tried again; nil while there is none.
  var stalled: [LedgerChange]?
  var isClosing = false
  /// The number of changes that end the writer's wait for more; nil while it does not wait.
  private var enough: Int?
  var gathering = Gathering()
  private(set) var broken: LedgerError?

  var isIdle: Bool { changes.isEmpty && !isDraining }

  /// The consequence of a change that was added.
  enum Added {
    case waits
    /// It is the last change for which the writer waits.
    case isEnough
    /// The writer rests, and must be woken.
    case mustStart
    /// It was not added: the ledger has ended.
    case refused(LedgerError)
  }

  mutating func add(_ change: LedgerChange) -> Added {
    if let broken { return .refused(broken) }
    changes.append(change)
    if !isDraining {
      isDraining = true
      return .mustStart
    }
    guard let enough, changes.count >= enough else { return .waits }
    self.enough = nil
    return .isEnough
  }

  /// Adds a change that nobody waits for; returns true if the timer that ends its wait must be set.
  mutating func add(note: LedgerChange) -> Bool {
    guard broken == nil else { return false }
    notes.append(note)
    defer { isNoteTimerSet = true }
    return !isNoteTimerSet
  }

  /// Takes the next batch; nil if there is none. While a batch waits for space, nothing else is taken; that batch is taken here only when
  /// the daemon ends, with `isNew` false.
  /// `withNotesAlone`: true to take notes even if no caller waits for a change.
  mutating func next(
    withNotesAlone: Bool
  ) -> (changes: [LedgerChange], notes: [LedgerChange], isNew: Bool)? {
    if withNotesAlone { isNoteTimerSet = false }
    if stalled != nil { return isClosing ? (exchange(&stalled, with: nil) ?? [], [], false) : nil }
    isDraining = !changes.isEmpty || (withNotesAlone && !notes.isEmpty)
    return isDraining ? (exchange(&changes, with: []), exchange(&notes, with: []), true) : nil
  }

  /// Begins to gather changes for a batch.
  /// Returns the longest time to wait for them, zero if enough have come; nil if none are to be gathered.
  mutating func gather(beside count: Int, active: Int) -> Duration? {
    let wanted = gathering.wanted(beside: count, active: active)
    guard wanted > 0 else { return nil }
    let patience = gathering.patience
    if changes.count >= wanted || patience == .zero { return .zero }
    enough = wanted
    return patience
  }

  /// Ends the wait; returns false if enough changes have come, which a signal announces.
  mutating func stopGathering() -> Bool { exchange(&enough, with: nil) != nil }

  mutating func gathered(beside count: Int) -> [LedgerChange] {
    let more = exchange(&changes, with: [])
    gathering.came(more.count, beside: count)
    return more
  }

  /// Ends the ledger; returns the changes that waited.
  mutating func end(_ error: LedgerError) -> [LedgerChange] {
    broken = error
    isDraining = false
    notes = []
    return (exchange(&stalled, with: nil) ?? []) + exchange(&changes, with: [])
  }
}

/// Decides how many changes a commit waits for, and how long. It waits for the changes of three fifths of the jobs in flight, and for at
/// most twice the duration of the last commit: if commits are quick, the wait costs more than it saves. It does not wait again after a wait
/// in vain, because jobs at a slow server change nothing for a while.
struct Gathering {
  /// The number of jobs that must be in flight before a commit waits at all.
  private static let siblings = 8
  static let longest: Duration = .milliseconds(5)

  /// The number of changes with which the last wait began, if no more came; else 0. A commit with no more changes than that does
  /// not wait.
  private var mostInVain = 0
  private var lastCommit: Duration = .zero

  var patience: Duration { min(Self.longest, lastCommit * 2) }

  mutating func committed(in duration: Duration) { lastCommit = duration }

  /// Returns the number of further changes to wait for beside those that are there; 0 for none.
  func wanted(beside count: Int, active: Int) -> Int {
    guard count > mostInVain, active >= Self.siblings else { return 0 }
    return max(0, active * 3 / 5 - count)
  }

  /// Notes how many more changes came in a wait, beside those that were there.
  mutating func came(_ more: Int, beside count: Int) { mostInVain = more > 0 ? 0 : count }
}
