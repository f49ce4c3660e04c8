/// Records who may have a file open, as far as the kernel's events tell.
///
/// The kernel merges equal events that follow each other unread. So two openings may come as one, and so may two closings. A
/// count that is too high ends by `settle_open`. One that is too low is corrected by the next write, which proves a writer.
struct Openers: Hashable {
  /// The number of openings whose closing was not heard.
  private(set) var openings: UInt8 = 0
  /// True if one of these openers is known to write: it made the file, or a write was heard after the last writer's closing.
  private(set) var hasWriter = false
  /// True if a write proves that there is an opener whose opening was not heard.
  private(set) var hasUnheard = false
  /// True if all openings were heard since the file was made or moved in. If not, a closing may belong to an unheard opener.
  private(set) var isComplete: Bool
  /// True if the file was just made, so that the next opening is its maker's.
  private(set) var isJustMade = false

  /// A file that was here before the first event, or whose events were lost.
  static let unknown = Openers(isComplete: false)
  /// A file that was moved in. Its dropper thereby says that it is whole.
  static let movedIn = Openers(isComplete: true)
  /// A file that was just made.
  static let maker = Openers(isComplete: true, isJustMade: true)
  /// A file that was made before its maker's opening could be heard.
  static let unheardMaker = Openers(isComplete: false, hasUnheard: true)

  private init(isComplete: Bool, isJustMade: Bool = false, hasUnheard: Bool = false) {
    self.isComplete = isComplete
    self.isJustMade = isJustMade
    self.hasUnheard = hasUnheard
  }

  /// True if somebody may have it open for writing.
  var mayWrite: Bool { openings > 0 || hasUnheard }

  mutating func heardOpening() {
    // Before 6.8 the kernel reports the write of an O_TRUNC before its opening.
    if isJustMade || isComplete && hasUnheard { hasWriter = true }
    if isComplete { hasUnheard = false }
    isJustMade = false
    if openings < .max { openings += 1 } else { isComplete = false }
  }

  mutating func heardWrite() {
    isJustMade = false
    if openings > 0 { hasWriter = true } else { hasUnheard = true }
  }

  /// A look found the file longer. The event of that write is on its way and tells who wrote, unless it was lost.
  mutating func sawGrowth() {
    isJustMade = false
    if openings == 0 { hasUnheard = true }
  }

  mutating func heardClosingAfterWriting() {
    isJustMade = false
    hasWriter = false
    if isComplete, openings > 0 { openings -= 1 } else { hasUnheard = false }
  }

  /// A closing by a reader is never the closing of the last writer.
  mutating func heardClosingAfterReading() {
    if isComplete, openings > (hasWriter ? 1 : 0) { openings -= 1 }
  }

  /// Events were lost: the known openers stay, and no closing removes them.
  mutating func distrust() {
    if isJustMade { hasUnheard = true }
    isJustMade = false
    isComplete = false
  }
}
