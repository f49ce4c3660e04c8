import Jobs

/// Names in the order of their next checks. It is a binary heap, so that no event has to go through all names.
struct Deadlines<Name: Sendable>: Sendable {
  struct Entry {
    let moment: ContinuousClock.Instant
    let name: Name
  }

  private var heap: [Entry] = []

  var first: ContinuousClock.Instant? { heap.first?.moment }

  var count: Int { heap.count }

  mutating func add(_ name: Name, at moment: ContinuousClock.Instant) {
    heap.append(Entry(moment: moment, name: name))
    var index = heap.count - 1
    while index > 0, heap[index].moment < heap[(index - 1) / 2].moment {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func popDue(at now: ContinuousClock.Instant) -> Entry? {
    guard let first = heap.first, first.moment <= now else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink()
    }
    return first
  }

  private mutating func sink() {
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].moment < heap[least].moment {
        least = child
      }
      guard least != index else { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}

/// The names that are ready for a claim, in the order in which they became so. A name may be in it twice, or be ready no longer: who
/// takes one asks the table.
struct ReadyNames {
  private var names: [FileName] = []
  /// The index of the first name: those before it were taken.
  private var head = 0

  var count: Int { names.count - head }
  /// The number of names in memory, with those that were taken.
  var length: Int { names.count }

  mutating func add(_ name: FileName) { names.append(name) }

  mutating func popFirst() -> FileName? {
    guard head < names.count else { return nil }
    let first = names[head]
    head += 1
    if head == names.count {
      names.removeAll(keepingCapacity: names.count < 1024)
      head = 0
    }
    return first
  }

  /// Keeps each name that is still ready, once.
  mutating func keepOnce(where isReady: (FileName) -> Bool) {
    var seen: Set<FileName> = []
    names = names[head...].filter { isReady($0) && seen.insert($0).inserted }
    head = 0
  }
}
