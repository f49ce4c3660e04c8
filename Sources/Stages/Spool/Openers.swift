import Jobs
import Linux

/// Records who may have a file open, as far as the kernel's events show that.
///
/// The kernel merges equal consecutive events that are unread. So two opens may arrive as one, and so may two closes. If the
/// count is too high, ``SpoolOptions/settleOpen`` ends the wait. If it is too low, the next write corrects it, because it proves a writer.
struct Openers: Hashable {
  /// The number of opens whose close was not seen.
  private(set) var openings: UInt8 = 0
  /// True if one of these openers writes: it created the file, or a write was seen after the last writer's close.
  private(set) var hasWriter = false
  /// True if a write proves that there is an opener whose open was not seen.
  private(set) var hasUnheard = false
  /// True if all opens since the file was created or moved in were seen. If not, a close may belong to an opener that was not
  /// seen.
  private(set) var isComplete: Bool
  /// True if the file was just created, so that the next open is that of its creator.
  private(set) var isJustMade = false

  /// A file that existed before the first event, or whose events were lost.
  static let unknown = Openers(isComplete: false)
  /// A file that was moved in. By moving it, its sender says that it is complete.
  static let movedIn = Openers(isComplete: true)
  /// A file that was just created.
  static let maker = Openers(isComplete: true, isJustMade: true)
  /// A file that was created, and the open of its creator cannot be seen.
  static let unheardMaker = Openers(isComplete: false, hasUnheard: true)

  private init(isComplete: Bool, isJustMade: Bool = false, hasUnheard: Bool = false) {
    self.isComplete = isComplete
    self.isJustMade = isJustMade
    self.hasUnheard = hasUnheard
  }

  /// True if somebody may have it open for writing.
  var mayWrite: Bool { openings > 0 || hasUnheard }

  /// Handles an event about the file.
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

/// The openers of files that were just renamed away and may be open for writing, until their new name is reported. The two events
/// of a rename share a cookie and come close together, so few entries are kept.
struct Departures {
  typealias Departure = (cookie: UInt32, openers: Openers, suspectSince: ContinuousClock.Instant)

  private static let most = 64

  private(set) var all: [Departure] = []

  mutating func add(_ cookie: UInt32, _ openers: Openers, since: ContinuousClock.Instant) {
    guard cookie != 0, openers.mayWrite else { return }
    if all.count == Self.most { all.removeFirst() }
    all.append((cookie, openers, since))
  }

  /// Removes and returns the openers of the file that arrives.
  mutating func arrival(_ cookie: UInt32) -> Departure? {
    guard let index = all.firstIndex(where: { $0.cookie == cookie }) else { return nil }
    return all.remove(at: index)
  }
}
