import Glibc
import Jobs
import Linux
import Synchronization

/// The time in which this daemon holds a shared spool: from the lock on, until the lock is given back or lost.
///
/// Before it registers, disposes of or claims anything, the daemon looks if its hold still stands (``look()``), at most once in
/// ``interval``. A host that takes over waits for ``patience`` before it reads what is claimed. So a daemon that lost the lock
/// and is awake has seen it by then. One that was stopped meanwhile looks anew when it wakes up: the clock went on.
final class Tenure: Sendable {
  /// The time for which a look counts.
  static let interval = Duration.seconds(1)
  /// The time between taking the lock from another host and reading what is claimed. Longer than ``interval``.
  static let patience = Duration.seconds(2)

  private struct Contents {
    /// The last look; nil before the first, which comes after the holder is named: the lock may be lost by then.
    var lookedAt: ContinuousClock.Instant?
    var loss: LostHold?
    var onLoss: (@Sendable (LostHold) -> Void)?
  }

  let spool: String
  /// This daemon, and since when it holds the spool.
  let mine: SpoolHolder
  /// The other host that held it last, or from which it was not taken over completely; nil if that was this one, or nobody.
  let previous: SpoolHolder?
  /// The daemon that may have gone on with files of this one's jobs; nil if a file that is gone is nobody else's.
  let mover: SpoolHolder?
  /// The earliest time to read what is claimed.
  let mayReadAt: ContinuousClock.Instant
  /// The time at which it began.
  let began: Timestamp
  /// The mark that tells this tenure and its unfinished records from all others.
  let id: String
  private let machine: Machine
  private let lock: FileLock
  private let claims: Directory
  private let state: Mutex<Contents>

  /// Begins with the lock in hand: writes who holds the spool from now on, durably.
  ///
  /// - Parameter completed: the last tenure that is complete in this daemon's ledger.
  init(
    _ options: SpoolOptions, _ daemon: SpoolHolder, completed: String?, lock: FileLock, claims: Directory,
    machine: Machine, now: Timestamp
  ) throws(FileError) {
    spool = options.name
    began = now
    mine = daemon.holding(since: now)
    var random = machine.random
    id = String(random.next(), radix: 36)
    self.machine = machine
    self.lock = lock
    self.claims = claims
    let last = try HolderFile.read(from: claims)
    previous = last.predecessor(of: daemon, completed: completed)
    mover = last.mover(of: daemon, completed: completed)
    state = Mutex(Contents())
    // Whoever was stopped since it got the lock must not write over the name of the next one.
    try lock.confirm(in: claims, HeldSpool.lockName)
    try HolderFile.write(HolderFile.Entry(mine, tenure: id, after: previous), in: claims)
    Failpoint.holderNamed.pass()
    try claims.sync(.holder)
    // Whoever lost the lock before this has its last look behind it.
    mayReadAt = last.isOwn(daemon, completed: completed) ? machine.now : machine.now + Self.patience
    Failpoint.holderSynced.pass()
  }

  /// The reason why it has ended; nil while it lasts, as far as is known.
  var loss: LostHold? { state.withLock { $0.loss } }

  /// True if it lasted a moment ago, so that a look would ask nobody.
  var isFresh: Bool {
    state.withLock { $0.loss == nil && $0.lookedAt.map { machine.now - $0 < Self.interval } ?? false }
  }

  /// Names who hears of the loss, at once and on whatever thread meets it.
  func onLoss(_ body: @escaping @Sendable (LostHold) -> Void) { state.withLock { $0.onLoss = body } }

  /// Makes sure that this daemon still holds the spool. It asks the file system unless it did so within ``interval``.
  ///
  /// It asks without the lock: while a file server hangs, ``isFresh`` and ``loss`` still answer. Those who ask meanwhile wait for the
  /// server themselves.
  func look() throws(LostHold) { try look(asking: ask) }

  /// The same with another way to ask, for tests of one that does not answer.
  func look(asking ask: () -> LostHold?) throws(LostHold) {
    while !(try isKnown()) {
      // The time before the question: what is true then may end before the answer comes.
      let asked = machine.now
      record(ask(), asked: asked)
    }
  }

  /// True if a look was made within ``interval``. The answer to one that took longer says nothing of now: this host was stopped
  /// meanwhile, or its file server did not answer, and the first half of the look may be from before that.
  private func isKnown() throws(LostHold) -> Bool {
    try state.withLock { state throws(LostHold) in
      if let loss = state.loss { throw loss }
      return state.lookedAt.map { machine.now - $0 < Self.interval } ?? false
    }
  }

  private func record(_ answer: LostHold?, asked: ContinuousClock.Instant) {
    let report = state.withLock { state -> (@Sendable (LostHold) -> Void)? in
      guard state.loss == nil else { return nil }
      state.lookedAt = max(state.lookedAt ?? asked, asked)
      state.loss = answer
      return answer == nil ? nil : state.onLoss
    }
    if let answer { report?(answer) }
  }

  /// Ends it: the file system does not let this daemon work in the spool.
  func end(_ reason: String) {
    let loss = LostHold(spool, holder: nil, reason)
    let report = state.withLock { state -> (@Sendable (LostHold) -> Void)? in
      guard state.loss == nil else { return nil }
      state.loss = loss
      return state.onLoss
    }
    report?(loss)
  }

  private func ask() -> LostHold? {
    do throws(FileError) {
      try lock.confirm(in: claims, HeldSpool.lockName)
      guard case .of(let entry) = try HolderFile.read(from: claims) else {
        return LostHold(spool, holder: nil, "the file that names the holder was removed or damaged")
      }
      guard entry.tenure == id else {
        return LostHold(spool, holder: entry.holder, "another host has taken the spool over")
      }
      return nil
    } catch {
      return LostHold(spool, holder: nil, "its lock is lost: \(error.words)")
    }
  }
}
