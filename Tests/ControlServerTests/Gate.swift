import Synchronization

/// Lets as many pass as it was opened times, whichever comes first.
final class Gate: Sendable {
  private struct Contents {
    var passes = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(Contents())

  func open(_ times: Int = 1) {
    for _ in 0..<times {
      let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
        state.passes += 1
        return nil
      }
      next?.resume()
    }
  }

  func pass() async {
    await withCheckedContinuation { continuation in
      let mayPass = state.withLock { state in
        guard state.passes > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.passes -= 1
        return true
      }
      if mayPass { continuation.resume() }
    }
  }
}
