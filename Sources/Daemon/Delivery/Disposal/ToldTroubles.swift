/// The troubles that were reported and have not ended. Each is reported once, and again if it returns after a pass without it.
struct ToldTroubles {
  private struct Trouble: Hashable {
    let spool: String
    let errno: Int32
  }

  private var told: Set<Trouble> = []
  private var met: Set<Trouble> = []

  mutating func isNew(_ spool: String, _ errno: Int32) -> Bool {
    let trouble = Trouble(spool: spool, errno: errno)
    met.insert(trouble)
    return told.insert(trouble).inserted
  }

  /// True if a trouble of this spool lasts.
  func hasAny(in spool: String) -> Bool { told.contains { $0.spool == spool } }

  mutating func beginPass(_ spool: String) { met = met.filter { $0.spool != spool } }

  /// Returns the error numbers of the troubles that have ended.
  mutating func endPass(_ spool: String) -> [Int32] {
    let over = told.filter { $0.spool == spool && !met.contains($0) }
    told.subtract(over)
    return over.map(\.errno)
  }
}
