import Synchronization

/// Runs bodies with the same key one after the other, in the order of arrival. Different keys do not wait for each other.
public final class Turns<Key: Hashable & Sendable>: Sendable {
  private struct Waiting {
    let number: Int
    let waiter: Waiter<Bool>
  }

  private struct Lines {
    /// The callers that wait. There is an entry for a key while a body of that key runs.
    var places: [Key: [Waiting]] = [:]
    var lastNumber = 0
  }

  private let lines = Mutex(Lines())

  /// Creates one without waiting callers.
  public init() {}

  /// Runs the body when no other body of the same key runs. A task that is cancelled stops waiting: `CancellationError`.
  public func run<Value: Sendable>(_ key: Key, _ body: () async throws -> Value) async throws -> Value {
    let number = number()
    let isTurn = await withTaskCancellationHandler {
      await Waiter.wait { enter(key, number, $0) }
    } onCancel: {
      giveUp(key, number)
    }
    guard isTurn else { throw CancellationError() }
    defer { release(key) }
    return try await body()
  }

  private func number() -> Int {
    lines.withLock { lines in
      lines.lastNumber += 1
      return lines.lastNumber
    }
  }

  private func enter(_ key: Key, _ number: Int, _ waiter: Waiter<Bool>) {
    let isTurn: Bool? = lines.withLock { lines in
      // If the task is cancelled after this check, the cancellation handler finds the entry.
      if Task.isCancelled { return false }
      guard lines.places[key] != nil else {
        lines.places[key] = []
        return true
      }
      lines.places[key]?.append(Waiting(number: number, waiter: waiter))
      return nil
    }
    if let isTurn { waiter.resume(returning: isTurn) }
  }

  private func giveUp(_ key: Key, _ number: Int) {
    let place = lines.withLock { lines -> Waiting? in
      guard let index = lines.places[key]?.firstIndex(where: { $0.number == number }) else { return nil }
      return lines.places[key]?.remove(at: index)
    }
    place?.waiter.resume(returning: false)
  }

  private func release(_ key: Key) {
    let next = lines.withLock { lines -> Waiting? in
      guard let places = lines.places[key], !places.isEmpty else {
        lines.places[key] = nil
        return nil
      }
      return lines.places[key]?.removeFirst()
    }
    next?.waiter.resume(returning: true)
  }
}
