import Failpoints
import Glibc
import Jobs
import LinuxFiles
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

  private struct State {
    var lookedAt: ContinuousClock.Instant
    var loss: LostHold?
    var onLoss: (@Sendable (LostHold) -> Void)?
  }

  let spool: String
  /// This daemon, and since when it holds the spool.
  let mine: SpoolHolder
  /// The other host that held it last; nil if that was this one, or nobody.
  let previous: SpoolHolder?
  /// The time at which it began.
  let began: Timestamp
  /// The mark that tells the unfinished records of this tenure from those of all others.
  let writer: [UInt8]
  private let lock: FileLock
  private let claims: Directory
  private let state: Mutex<State>

  /// Begins with the lock in hand: writes who holds the spool from now on, durably.
  init(_ options: SpoolOptions, _ daemon: SpoolHolder, lock: FileLock, claims: Directory, now: Timestamp)
    throws(FileError)
  {
    spool = options.name
    began = now
    mine = daemon.holding(since: now)
    writer = Array(String(UInt64.random(in: .min ... .max), radix: 36).utf8)
    self.lock = lock
    self.claims = claims
    let last = try SpoolHolder.read(from: claims)
    previous = last.flatMap { $0.hasLedger(of: daemon) ? nil : $0 }
    state = Mutex(State(lookedAt: .now))
    let file = try RecordFile.write(try mine.encoded, for: SpoolHolder.name, by: writer, in: claims, .holder)
    try claims.rename(file, replacing: SpoolHolder.name)
    Failpoint.holderNamed.pass()
    try claims.sync(.holder)
    Failpoint.holderSynced.pass()
  }

  /// The reason why it has ended; nil while it lasts, as far as is known.
  var loss: LostHold? { state.withLock { $0.loss } }

  /// True if it lasted a moment ago, so that a look would ask nobody.
  var isFresh: Bool { state.withLock { $0.loss == nil && ContinuousClock.now - $0.lookedAt < Self.interval } }

  /// Names who hears of the loss, at once and on whatever thread meets it.
  func onLoss(_ body: @escaping @Sendable (LostHold) -> Void) { state.withLock { $0.onLoss = body } }

  /// Makes sure that this daemon still holds the spool. It asks the file system unless it did so within ``interval``.
  func look() throws(LostHold) {
    let (loss, report) = state.withLock { state -> (LostHold?, (@Sendable (LostHold) -> Void)?) in
      if let loss = state.loss { return (loss, nil) }
      // The time before the question: what is true then may end before the answer comes.
      let now = ContinuousClock.now
      guard now - state.lookedAt >= Self.interval else { return (nil, nil) }
      state.loss = ask()
      state.lookedAt = now
      return (state.loss, state.loss == nil ? nil : state.onLoss)
    }
    guard let loss else { return }
    report?(loss)
    throw loss
  }

  private func ask() -> LostHold? {
    do throws(FileError) {
      try lock.confirm(in: claims, HeldSpool.lockName)
      guard let holder = try SpoolHolder.read(from: claims) else {
        return LostHold(spool, holder: nil, "the file that names the holder was removed")
      }
      return holder == mine ? nil : LostHold(spool, holder: holder, "another host has taken the spool over")
    } catch {
      return LostHold(spool, holder: nil, "its lock is lost: \(error.words)")
    }
  }
}
