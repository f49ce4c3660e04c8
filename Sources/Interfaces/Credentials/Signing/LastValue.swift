import Synchronization

/// Keeps the value that was made for the last key, because consecutive requests usually have the same one.
package final class LastValue<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  private let last = Mutex<(key: Key, value: Value)?>(nil)

  package init() {}

  package func value(for key: Key, _ make: () -> Value) -> Value {
    last.withLock { last in
      if let last, last.key == key { return last.value }
      let value = make()
      last = (key, value)
      return value
    }
  }
}
