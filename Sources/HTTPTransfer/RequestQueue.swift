/// The requests that wait for a place, and who is next: those with a long body in lines of their own, one for each far
/// side, and all others, which go past them.
///
/// Long ones have half of the places. Beyond that a far side that has none of them in flight gets one as long as another
/// place stays free: so one that is slow does not hold up the long ones of the others. A value without I/O; a request is a
/// number here. Adding, taking out and leaving cost the same however many wait.
struct RequestQueue {
  typealias ID = UInt64

  /// First in, first out. One that was taken out is skipped when its turn comes.
  private struct Line {
    private var ids: [ID] = []
    private var head = 0
    /// The number of those that still wait.
    var count = 0

    mutating func add(_ id: ID) {
      ids.append(id)
      count += 1
    }

    /// The first one that still waits. There has to be one.
    mutating func removeFirst(_ isWaiting: (ID) -> Bool) -> ID? {
      defer { if head > 64, head > ids.count / 2 { compact() } }
      while head < ids.count {
        head += 1
        guard isWaiting(ids[head - 1]) else { continue }
        count -= 1
        return ids[head - 1]
      }
      return nil
    }

    /// Takes note that one of them was taken out. `isWaiting` says no for it.
    mutating func lost(_ isWaiting: (ID) -> Bool) {
      count -= 1
      guard ids.count - head > 2 * count + 64 else { return }
      compact()
      ids.removeAll { !isWaiting($0) }
    }

    private mutating func compact() {
      ids.removeFirst(head)
      head = 0
    }
  }

  /// The long ones of one far side.
  private struct BulkLine {
    let peer: String
    var inFlight = 0
    var waiting = Line()
  }

  /// The number of requests that may be in flight.
  var limit: Int
  /// The number of those that are: their turn came, and they have not left.
  var inFlight: Int { begun.count }
  private var begun: [ID: RequestTraits] = [:]
  private var bulkInFlight = 0
  private var waiting: [ID: RequestTraits] = [:]
  private var line = Line()
  private var bulk: [BulkLine] = []

  init(limit: Int) { self.limit = limit }

  /// Puts a request in line.
  mutating func add(_ id: ID, _ traits: RequestTraits) {
    waiting[id] = traits
    guard traits.isBulk else { return line.add(id) }
    let place = bulk.firstIndex { $0.peer == traits.peer } ?? bulk.endIndex
    if place == bulk.endIndex { bulk.append(BulkLine(peer: traits.peer)) }
    bulk[place].waiting.add(id)
  }

  /// The request whose turn has come, which is in flight from now on; nil where none may be.
  mutating func next() -> (id: ID, traits: RequestTraits)? {
    guard inFlight < limit else { return nil }
    if line.count > 0 { return line.removeFirst { waiting[$0] != nil }.flatMap { begin($0) } }
    guard let place = nextBulk, let id = bulk[place].waiting.removeFirst({ waiting[$0] != nil }) else { return nil }
    bulkInFlight += 1
    bulk[place].inFlight += 1
    return begin(id)
  }

  private mutating func begin(_ id: ID) -> (id: ID, traits: RequestTraits)? {
    guard let traits = waiting.removeValue(forKey: id) else { return nil }
    begun[id] = traits
    return (id, traits)
  }

  /// Of the far sides that have long ones to begin, the one with the fewest in flight.
  private var nextBulk: Int? {
    var first: Int?
    for place in bulk.indices where bulk[place].waiting.count > 0 {
      if let known = first, bulk[known].inFlight <= bulk[place].inFlight { continue }
      first = place
    }
    guard let first, bulkInFlight >= max(1, limit / 2) else { return first }
    return bulk[first].inFlight == 0 && inFlight + 1 < limit ? first : nil
  }

  /// Takes note that a request is in flight no longer, and gives its traits; nil for one that was not.
  @discardableResult
  mutating func leave(_ id: ID) -> RequestTraits? {
    guard let traits = begun.removeValue(forKey: id) else { return nil }
    guard traits.isBulk else { return traits }
    bulkInFlight -= 1
    guard let place = bulk.firstIndex(where: { $0.peer == traits.peer }) else { return traits }
    bulk[place].inFlight -= 1
    dropIfEmpty(place)
    return traits
  }

  /// Takes a request out of its line; false if it stands in none.
  mutating func remove(_ id: ID) -> Bool {
    guard let traits = waiting.removeValue(forKey: id) else { return false }
    if !traits.isBulk {
      line.lost { waiting[$0] != nil }
    } else if let place = bulk.firstIndex(where: { $0.peer == traits.peer }) {
      bulk[place].waiting.lost { waiting[$0] != nil }
      dropIfEmpty(place)
    }
    return true
  }

  /// Empties the lines, and gives those who stood in them, in the order in which they came.
  mutating func removeAll() -> [ID] {
    defer {
      waiting = [:]
      line = Line()
      for place in bulk.indices { bulk[place].waiting = Line() }
      bulk.removeAll { $0.inFlight == 0 }
    }
    return waiting.keys.sorted()
  }

  private mutating func dropIfEmpty(_ place: Int) {
    if bulk[place].inFlight == 0, bulk[place].waiting.count == 0 { bulk.remove(at: place) }
  }
}
