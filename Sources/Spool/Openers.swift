/// Who may have a file open, as far as the kernel's hints tell.
///
/// The kernel merges equal hints that follow each other unread, so that two openings may come as one, and so may two closings.
/// A count that is too high ends by `settle_open`. One that is too low is put right by the next write: that proves a writer.
struct Openers: Hashable {
  /// How many openings were heard whose closing was not.
  private(set) var openings: UInt8 = 0
  /// Whether one of these openers is known to write: it made the file, or a write was heard after the last writer's closing.
  private(set) var hasWriter = false
  /// Whether a write tells of somebody whose opening was not heard.
  private(set) var hasUnheard = false
  /// Whether all openings were heard since the file was made or moved in. If not, a closing may be that of somebody unheard.
  private(set) var isComplete: Bool
  /// Whether the file was just made, so that the opening that comes next is its maker's.
  private(set) var isJustMade = false

  /// A file that was here before the hints, or whose hints were lost.
  static let unknown = Openers(isComplete: false)
  /// A file that was moved in, whole by what its dropper says.
  static let movedIn = Openers(isComplete: true)
  /// A file that was just made.
  static let maker = Openers(isComplete: true, isJustMade: true)
  /// A file that was made too early for its maker's opening to be heard.
  static let unheardMaker = Openers(isComplete: false, hasUnheard: true)

  private init(isComplete: Bool, isJustMade: Bool = false, hasUnheard: Bool = false) {
    self.isComplete = isComplete
    self.isJustMade = isJustMade
    self.hasUnheard = hasUnheard
  }

  /// Whether somebody may have it open for writing.
  var mayWrite: Bool { openings > 0 || hasUnheard }

  mutating func heardOpening() {
    // Before 6.8 the kernel tells of an O_TRUNC's write before its opening.
    if isJustMade || isComplete && hasUnheard { hasWriter = true }
    if isComplete { hasUnheard = false }
    isJustMade = false
    if openings < .max { openings += 1 } else { isComplete = false }
  }

  mutating func heardWrite() {
    isJustMade = false
    if openings > 0 { hasWriter = true } else { hasUnheard = true }
  }

  /// A look found the file longer. Whose write it was is told by a hint that is on its way, unless that was lost.
  mutating func sawGrowth() {
    isJustMade = false
    if openings == 0 { hasUnheard = true }
  }

  mutating func heardClosingAfterWriting() {
    isJustMade = false
    hasWriter = false
    if isComplete, openings > 0 { openings -= 1 } else { hasUnheard = false }
  }

  /// A reader's closing is never that of the last one who writes.
  mutating func heardClosingAfterReading() {
    if isComplete, openings > (hasWriter ? 1 : 0) { openings -= 1 }
  }

  /// Hints were lost: what is known stays, and no closing takes it back.
  mutating func distrust() {
    if isJustMade { hasUnheard = true }
    isJustMade = false
    isComplete = false
  }
}
