/// A line of requests, first in, first out. Taking one out of the middle costs the same as taking the first one: it is only
/// counted, and skipped when its turn comes. Who still waits is the owner's to say.
struct RequestLine {
  private var ids: [RequestQueue.ID] = []
  private var head = 0
  /// The number of those that still wait.
  private(set) var count = 0

  mutating func add(_ id: RequestQueue.ID) {
    ids.append(id)
    count += 1
  }

  /// Takes out the first one that still waits; nil where none does.
  mutating func removeFirst(_ isWaiting: (RequestQueue.ID) -> Bool) -> RequestQueue.ID? {
    defer { if head > 64, head > ids.count / 2 { compact() } }
    while head < ids.count {
      head += 1
      guard isWaiting(ids[head - 1]) else { continue }
      count -= 1
      return ids[head - 1]
    }
    return nil
  }

  /// Counts one that no longer waits. `isWaiting` says no for it.
  mutating func lost(_ isWaiting: (RequestQueue.ID) -> Bool) {
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
