/// What is to happen at a later time, earliest first; of one time, in the order in which it was asked for.
struct Timers<Value> {
  private struct Entry {
    let due: Int64
    let number: Int
    let value: Value

    func isBefore(_ other: Entry) -> Bool { (due, number) < (other.due, other.number) }
  }

  private var heap: [Entry] = []
  private var stopped: Set<Int> = []
  private var last = 0

  var next: Int64? {
    mutating get {
      while let first = heap.first, stopped.remove(first.number) != nil { _ = pop() }
      return heap.first?.due
    }
  }

  mutating func add(_ value: Value, at due: Int64) -> Int {
    last += 1
    heap.append(Entry(due: due, number: last, value: value))
    var child = heap.count - 1
    while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
    return last
  }

  /// Takes one out that has not come. One that has come must not be stopped any more.
  mutating func stop(_ number: Int) { stopped.insert(number) }

  mutating func takeDue(at now: Int64) -> (number: Int, value: Value)? {
    guard let next, next <= now else { return nil }
    let first = pop()
    return (first.number, first.value)
  }

  private mutating func pop() -> Entry {
    heap.swapAt(0, heap.count - 1)
    let first = heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
        least = child
      }
      guard least != parent else { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
