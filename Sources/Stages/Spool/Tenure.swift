import Glibc
import Jobs
import Linux
import Synchronization

/// The period in which this daemon holds a shared spool: from taking the lock until the lock is released or lost.
///
/// Before it registers, disposes of or claims anything, the daemon checks that it still holds the spool (``look()``), at most
/// once per ``interval``. A host that takes over waits for ``patience`` before it reads the claimed files. By then, a daemon that
/// lost the lock and is running has noticed it. A daemon that was stopped checks again when it continues, because the steady
/// clock went on.
final class Tenure: Sendable {
  /// The time for which the result of a check is valid.
  static let interval = Duration.seconds(1)
  /// The time from taking the lock of another host until reading the claimed files. It is longer than ``interval``.
  static let patience = Duration.seconds(2)

  private struct Contents {
    /// The time of the last check; nil before the first, which must follow the writing of the holder's name: the lock may be lost
    /// by then.
    var lookedAt: ContinuousClock.Instant?
    var loss: LostLock?
    var onLoss: (@Sendable (LostLock) -> Void)?
  }

  let spool: String
  /// This daemon, with the time since which it holds the spool.
  let mine: LockHolder
  /// The other host that held it last, or whose files were not all taken over; nil if it was this one, or nobody.
  let previous: LockHolder?
  /// The daemon that may have continued with files of this one's jobs; nil if no other daemon has touched them.
  let mover: LockHolder?
  /// The earliest time to read the claimed files.
  let mayReadAt: ContinuousClock.Instant
  /// The time at which it began.
  let began: Timestamp
  /// The id that distinguishes this tenure and its incomplete records from all others.
  let id: String
  private let machine: Machine
  private let lock: FileLock
  private let claims: Directory
  private let state: Mutex<Contents>

  /// Begins a tenure with the lock, which the caller has taken: durably writes the name of the holder.
  ///
  /// - Parameter completed: the last tenure that this daemon's ledger records as complete.
  init(
    _ options: SpoolOptions, _ daemon: LockHolder, completed: String?, lock: FileLock, claims: Directory,
    machine: Machine, now: Timestamp
  ) throws(FileError) {
    spool = options.name
    began = now
    mine = daemon.locking(since: now)
    var random = machine.random
    id = String(random.next(), radix: 36)
    self.machine = machine
    self.lock = lock
    self.claims = claims
    let last = try HolderFile.read(from: claims)
    previous = last.predecessor(of: daemon, completed: completed)
    mover = last.mover(of: daemon, completed: completed)
    state = Mutex(Contents())
    // A process that was stopped after it got the lock must not overwrite the name of the next holder.
    try lock.confirm(in: claims, LockedSpool.lockName)
    try HolderFile.write(HolderFile.Entry(mine, tenure: id, after: previous), in: claims)
    Failpoint.holderNamed.pass()
    try claims.sync(.holder)
    // A host that lost the lock before this moment counts its last check as valid for at most ``interval``.
    mayReadAt = last.isOwn(daemon, completed: completed) ? machine.now : machine.now + Self.patience
    Failpoint.holderSynced.pass()
  }

  /// The reason why the tenure has ended; nil while it lasts, as far as is known.
  var loss: LostLock? { state.withLock { $0.loss } }

  /// True if the last check is recent enough, so that ``look()`` would not ask the file system.
  var isFresh: Bool {
    state.withLock { $0.loss == nil && $0.lookedAt.map { machine.now - $0 < Self.interval } ?? false }
  }

  /// Sets the function that is called as soon as a loss is detected, on the thread that detects it.
  func onLoss(_ body: @escaping @Sendable (LostLock) -> Void) { state.withLock { $0.onLoss = body } }

  /// Returns if this daemon still holds the spool, and throws otherwise. It asks the file system unless it did so within
  /// ``interval``.
  ///
  /// It asks outside of the mutex: while a file server hangs, ``isFresh`` and ``loss`` still answer. Other callers of this method
  /// wait for the server themselves.
  func look() throws(LostLock) { try look(asking: ask) }

  /// The same with another way to ask, for tests with a file system that does not answer.
  func look(asking ask: () -> LostLock?) throws(LostLock) {
    while !(try isKnown()) {
      // The time before the question: what is true then may have ended when the answer arrives.
      let asked = machine.now
      record(ask(), asked: asked)
    }
  }

  /// True if the last check began within ``interval``. The answer of a check that took longer is not valid: this host may have
  /// been stopped, or its file server did not answer, so the first part of the check may be too old.
  private func isKnown() throws(LostLock) -> Bool {
    try state.withLock { state throws(LostLock) in
      if let loss = state.loss { throw loss }
      return state.lookedAt.map { machine.now - $0 < Self.interval } ?? false
    }
  }

  private func record(_ answer: LostLock?, asked: ContinuousClock.Instant) {
    let report = state.withLock { state -> (@Sendable (LostLock) -> Void)? in
      guard state.loss == nil else { return nil }
      state.lookedAt = max(state.lookedAt ?? asked, asked)
      state.loss = answer
      return answer == nil ? nil : state.onLoss
    }
    if let answer { report?(answer) }
  }

  /// Ends the tenure, because the file system does not let this daemon work in the spool.
  func end(_ reason: String) {
    let loss = LostLock(spool, holder: nil, reason)
    let report = state.withLock { state -> (@Sendable (LostLock) -> Void)? in
      guard state.loss == nil else { return nil }
      state.loss = loss
      return state.onLoss
    }
    report?(loss)
  }

  private func ask() -> LostLock? {
    do throws(FileError) {
      try lock.confirm(in: claims, LockedSpool.lockName)
      guard case .of(let entry) = try HolderFile.read(from: claims) else {
        return LostLock(spool, holder: nil, "the file that names the holder was removed or damaged")
      }
      guard entry.tenure == id else {
        return LostLock(spool, holder: entry.holder, "another host has taken the spool over")
      }
      return nil
    } catch {
      return LostLock(spool, holder: nil, "its lock is lost: \(error.words)")
    }
  }
}
