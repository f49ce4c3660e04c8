import Foundation

/// Events with their times, the earliest first (a binary heap).
struct EventQueue<Event> {
  private var heap: [(at: Double, event: Event)] = []

  var count: Int { heap.count }

  var next: Double? { heap.first?.at }

  mutating func push(_ event: Event, at time: Double) {
    heap.append((time, event))
    var place = heap.count - 1
    while place > 0, heap[place].at < heap[(place - 1) / 2].at {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func pop() -> (at: Double, event: Event)? {
    guard !heap.isEmpty else { return nil }
    heap.swapAt(0, heap.count - 1)
    let first = heap.removeLast()
    var place = 0
    while true {
      var child = 2 * place + 1
      if child + 1 < heap.count, heap[child + 1].at < heap[child].at { child += 1 }
      guard child < heap.count, heap[child].at < heap[place].at else { return first }
      heap.swapAt(place, child)
      place = child
    }
  }
}

/// Chances that follow from a seed (xorshift64: Marsaglia 2003).
struct Chances {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  /// Returns a number from 0 on below 1.
  mutating func next() -> Double {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Double(state >> 11) / 0x1p53
  }

  mutating func duration(of mean: Double, _ jitter: Server.Jitter) -> Double {
    switch jitter {
    case .none: mean
    case .uniform: mean * (0.5 + next())
    case .exponential: mean * -log(1 - next())
    }
  }
}
