/// A first-in, first-out line of requests. Removing one from the middle is as cheap as removing the first: it is only counted,
/// and skipped when its turn comes. The owner knows which requests still wait.
struct RequestLine {
  private var ids: [RequestQueue.ID] = []
  private var head = 0
  /// The number of requests that still wait.
  private(set) var count = 0

  mutating func add(_ id: RequestQueue.ID) {
    ids.append(id)
    count += 1
  }

  /// Removes and returns the first request that still waits; nil if none does.
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

  /// Counts a request that does not wait any more. `isWaiting` must return false for it.
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
