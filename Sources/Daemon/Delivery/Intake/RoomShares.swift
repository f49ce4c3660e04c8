/// Shares the room for new jobs among the spools that wait: the highest priority first, and among equals the one that
/// has waited longest. So no spool starves another of its own priority, and a higher one goes first while room is
/// short.
struct RoomShares {
  /// The most room that is given at a time: files that are claimed and admitted together.
  static let most = 256

  private struct Share {
    var priority: Int
    /// Room that was given and not yet used.
    var given = 0
    /// The order of waiting, which grows with each wait; nil while the spool does not wait.
    var turn: Int?
    /// True if the spool used the room it was last given. It may then have more, and lower priorities wait for it.
    var hasMore = false
    /// True if the spool did not use the room it was last given. Then the others go before it once.
    var standsBack = false
  }

  private(set) var admitAhead: Int
  private var shares: [String: Share]
  private var lastTurn = 0
  /// The number of jobs that are queued, active or deferred, without those that wait for their medium.
  var ahead = 0

  /// Creates shares for spools by their priority.
  init(admitAhead: Int, priorities: [String: Int]) {
    self.admitAhead = admitAhead
    shares = priorities.mapValues { Share(priority: $0) }
  }

  /// Changes to other limits. Room that was given to a spool that is gone is free again.
  mutating func configure(admitAhead: Int, priorities: [String: Int]) {
    self.admitAhead = admitAhead
    shares = shares.filter { priorities[$0.key] != nil }
    for (spool, priority) in priorities { change(spool) { $0.priority = priority } }
  }

  /// Records that a spool waits for room. Room that it was given before and did not use is free again.
  mutating func wait(_ spool: String) {
    lastTurn += 1
    let turn = lastTurn
    change(spool) { share in
      if share.given > 0 {
        share.hasMore = false
        share.standsBack = true
      }
      share.given = 0
      share.turn = turn
    }
  }

  /// Records that a spool wants no room, or none now.
  mutating func rest(_ spool: String) {
    change(spool) { share in
      share.given = 0
      share.turn = nil
      share.hasMore = false
    }
  }

  /// Records that a spool's claims are in the ledger.
  mutating func used(_ spool: String) {
    change(spool) { share in
      share.given = 0
      share.hasMore = true
    }
  }

  /// Gives room to one of the spools that wait; nil if there is no room, or no spool that it may go to now.
  mutating func give() -> (spool: String, room: Int)? {
    let free = admitAhead - ahead - shares.values.reduce(0) { $0 + $1.given }
    guard free > 0, let spool = next(), let share = shares[spool] else { return nil }
    let isShort = free < min(Self.most, admitAhead / 2)
    if isShort, shares.values.contains(where: { $0.hasMore && $0.turn == nil && $0.priority > share.priority }) {
      return nil  // the spool that has more asks again at once, or rests
    }
    let room = min(free, Self.most)
    for name in shares.keys { change(name) { $0.standsBack = false } }
    change(spool) { share in
      share.given = room
      share.turn = nil
    }
    return (spool, room)
  }

  private func next() -> String? {
    shares.filter { $0.value.turn != nil }.min { a, b in
      if a.value.standsBack != b.value.standsBack { return b.value.standsBack }
      if a.value.priority != b.value.priority { return a.value.priority > b.value.priority }
      return (a.value.turn ?? 0) < (b.value.turn ?? 0)
    }?.key
  }

  private mutating func change(_ spool: String, _ change: (inout Share) -> Void) {
    change(&shares[spool, default: Share(priority: 0)])
  }
}
