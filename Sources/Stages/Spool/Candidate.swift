import Jobs
import Linux

/// The facts known about a name in the spool that is not claimed yet.
struct Candidate {
  /// The last event about the file. It decides how long the file must stay unchanged.
  enum Origin {
    /// An event reported that a program which could write has closed the file.
    case closed
    /// No event has reported that the file was closed after writing.
    case unseen
    case renamed
    /// It was linked into the spool, and has another name.
    case linked
    /// It was made in the spool, or linked without another name, and a lease will tell who has it open for writing.
    case made
  }

  var origin: Origin
  /// The reason to wait. `open`: the last lease showed a writer. `uncertain`: somebody may have the file open. `awaitingSidecar`,
  /// `awaitingDocument`: only the other file of the pair is missing. `ready`: it is claimed as soon as there is room. Otherwise `settling`.
  var phase = FileStatus.Reason.settling
  var openers: Openers
  /// The facts at the last check, which must stay the same; nil if there was no check since the last write.
  var stillness: FileIdentity?
  /// The time since which the file has not changed, as far as is known.
  var stillSince: ContinuousClock.Instant
  /// The time since which somebody may have the file open.
  var suspectSince: ContinuousClock.Instant
  /// The time of the next check; nil for a ready file, and for a sidecar that waits for its document.
  var due: ContinuousClock.Instant?
  /// The time since which the file has been settling.
  var since: ContinuousClock.Instant
  var isMissing = false
  /// The owner of the file at the last check; nil if there was none.
  var owner: UInt32?

  var isReady: Bool { phase == .ready }
  var isAlone: Bool { phase == .awaitingSidecar || phase == .awaitingDocument }
  var isStuck: Bool { !isReady && (origin != .renamed || stillness != nil) }

  init(_ origin: Origin, _ openers: Openers, now: ContinuousClock.Instant) {
    self.origin = origin
    self.openers = openers
    stillSince = now
    suspectSince = now
    since = now
  }

  mutating func saw(_ facts: FileFacts) {
    stillness = FileIdentity(facts)
    owner = facts.owner
  }

  mutating func hear(now: ContinuousClock.Instant, _ change: (inout Openers) -> Void) {
    let wasSuspect = openers.mayWrite
    change(&openers)
    if !wasSuspect { suspectSince = now }
  }
}

extension Candidates {
  /// The files for which a lease can tell who has them open.
  enum Leased: Equatable {
    case none
    /// Those of the daemon's own user: a lease on others' files takes CAP_LEASE (fcntl(2)).
    case ofUser(UInt32)
    case all

    func covers(_ facts: FileFacts) -> Bool {
      switch self {
      case .none: false
      case .ofUser(let user): facts.owner == user
      case .all: true
      }
    }

    /// False if leases cover every file. Then openings, and closings after reading, need not be heard: half of them would come from the
    /// daemon's own leases. A file that cannot be opened counts as open from its making, or a write, until the next closing after writing.
    var needsOpenings: Bool { self != .all }
  }
}

extension SpoolOptions {
  /// Returns the time for which a file of this origin and size must stay unchanged before it is claimed.
  func stillness(_ origin: Candidate.Origin, size: Int64) -> Duration {
    let time =
      switch origin {
      // If a lease shows no writer, the making of a file is as good as its close.
      case .closed, .made: settle
      case .unseen: settleUnseen
      case .renamed: settleRenamed
      case .linked: Duration.zero
      }
    return size == 0 ? max(time, settleEmpty) : time
  }
}

/// Records who may have a file open, as far as the kernel's events show that.
///
/// The kernel merges equal consecutive events that are unread. ``SpoolOptions/settleOpen`` ends the wait if the count is too high; the next
/// write corrects one that is too low, because it proves a writer.
struct Openers: Hashable {
  /// The number of opens whose close was not seen.
  private(set) var openings: UInt8 = 0
  /// True if one of these openers writes: an opener created the file, or a write was seen after the last writer's close.
  private(set) var hasWriter = false
  /// True if a write proves that there is an opener whose open was not seen.
  private(set) var hasUnheard = false
  /// True if all opens since the file was created or moved in were seen. If not, a close may belong to another opener.
  private(set) var isComplete: Bool
  /// True if the file was just created, so that the next open is that of its creator.
  private(set) var isJustMade = false

  /// A file that existed before the first event, or whose events were lost.
  static let unknown = Openers(isComplete: false)
  /// A file that was moved in. By moving it, its sender says that it is complete.
  static let movedIn = Openers(isComplete: true)
  static let maker = Openers(isComplete: true, isJustMade: true)
  /// A file that was created, and the open of its creator cannot be seen.
  static let unheardMaker = Openers(hasUnheard: true, isComplete: false)

  var mayWrite: Bool { openings > 0 || hasUnheard }

  mutating func heard(_ happening: Inotify.Happening) {
    if happening.contains(.modified) {
      isJustMade = false
      if openings > 0 { hasWriter = true } else { hasUnheard = true }
    } else if happening.contains(.closedAfterWriting) {
      isJustMade = false
      hasWriter = false
      if isComplete, openings > 0 { openings -= 1 } else { hasUnheard = false }
    } else if happening.contains(.opened) {
      // Before Linux 6.8 the write event of an O_TRUNC comes before the open event.
      if isJustMade || isComplete && hasUnheard { hasWriter = true }
      if isComplete { hasUnheard = false }
      isJustMade = false
      if openings < .max { openings += 1 } else { isComplete = false }
    } else if happening.contains(.closedAfterReading), isComplete, openings > (hasWriter ? 1 : 0) {
      // The close of a reader never counts as that of the last writer.
      openings -= 1
    }
  }

  /// Handles growth of the file between two checks. The event of that write has yet to arrive and will show who wrote, unless it
  /// was lost.
  mutating func sawGrowth() {
    isJustMade = false
    if openings == 0 { hasUnheard = true }
  }

  /// Handles lost events: the known openers stay, and no close removes them any more.
  mutating func distrust() {
    if isJustMade { hasUnheard = true }
    isJustMade = false
    isComplete = false
  }
}

/// The renames of which only the first event has come. The two events of a rename come close together, so few entries are needed.
struct Departures<Known: Sendable>: Sendable {
  private static var most: Int { 64 }

  private(set) var all: [(cookie: UInt32, known: Known)] = []

  mutating func add(_ cookie: UInt32, _ known: Known) {
    if all.count == Self.most { all.removeFirst() }
    all.append((cookie, known))
  }

  /// Removes and returns what is known of the name that arrives.
  mutating func arrival(_ cookie: UInt32) -> Known? {
    guard let index = all.firstIndex(where: { $0.cookie == cookie }) else { return nil }
    return all.remove(at: index).known
  }
}
