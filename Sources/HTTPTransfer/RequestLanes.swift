/// The transfers that wait for their turn, and who is next: those with a long body in lines of their own, one for each far
/// side, and all others, which go past them.
///
/// Long ones have half of the places. Beyond that a far side that has none of them in flight gets one as long as another
/// place stays free: so one that is slow does not hold up the long ones of the others. Lives on the transfer thread only.
struct RequestLanes {
  /// The long ones of one far side.
  private struct BulkLine {
    let peer: String
    var inFlight = 0
    var waiting: [Transfer] = []
  }

  /// How many requests may be in flight.
  var limit: Int
  /// How many are.
  private(set) var inFlight = 0
  private var bulkInFlight = 0
  private var waiting: [Transfer] = []
  private var bulk: [BulkLine] = []

  init(limit: Int) { self.limit = limit }

  /// Puts a transfer in line.
  mutating func add(_ transfer: Transfer) {
    guard transfer.request.isBulk else { return waiting.append(transfer) }
    let peer = transfer.request.peer
    let place = bulk.firstIndex { $0.peer == peer } ?? bulk.endIndex
    if place == bulk.endIndex { bulk.append(BulkLine(peer: peer)) }
    bulk[place].waiting.append(transfer)
  }

  /// The transfer that begins next, which is in flight from now on; nil where none may.
  mutating func next() -> Transfer? {
    guard inFlight < limit else { return nil }
    if !waiting.isEmpty {
      inFlight += 1
      return waiting.removeFirst()
    }
    guard let place = nextBulk else { return nil }
    inFlight += 1
    bulkInFlight += 1
    bulk[place].inFlight += 1
    return bulk[place].waiting.removeFirst()
  }

  /// Of the far sides that have long ones to begin, the one with the fewest in flight.
  private var nextBulk: Int? {
    var first: Int?
    for place in bulk.indices where !bulk[place].waiting.isEmpty {
      if let known = first, bulk[known].inFlight <= bulk[place].inFlight { continue }
      first = place
    }
    guard let first, bulkInFlight >= max(1, limit / 2) else { return first }
    return bulk[first].inFlight == 0 && inFlight + 1 < limit ? first : nil
  }

  /// Takes note that a transfer is in flight no longer.
  mutating func left(_ transfer: Transfer) {
    inFlight -= 1
    guard transfer.request.isBulk else { return }
    bulkInFlight -= 1
    let peer = transfer.request.peer
    guard let place = bulk.firstIndex(where: { $0.peer == peer }) else { return }
    bulk[place].inFlight -= 1
    if bulk[place].inFlight == 0, bulk[place].waiting.isEmpty { bulk.remove(at: place) }
  }

  /// Takes one out of its line, if it stands in one.
  mutating func takeWaiting(_ id: UInt64) -> Transfer? {
    if let index = waiting.firstIndex(where: { $0.id == id }) { return waiting.remove(at: index) }
    for place in bulk.indices {
      guard let index = bulk[place].waiting.firstIndex(where: { $0.id == id }) else { continue }
      let transfer = bulk[place].waiting.remove(at: index)
      if bulk[place].inFlight == 0, bulk[place].waiting.isEmpty { bulk.remove(at: place) }
      return transfer
    }
    return nil
  }

  /// Empties the lines, and gives those who stood in them.
  mutating func clear() -> [Transfer] {
    let all = waiting + bulk.flatMap(\.waiting)
    waiting = []
    for place in bulk.indices { bulk[place].waiting = [] }
    bulk.removeAll { $0.inFlight == 0 }
    return all
  }
}
