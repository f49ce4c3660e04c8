import Synchronization

/// Keeps the value that was made for the last key, because consecutive requests usually have the same one.
package final class LastValue<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  private let last = Mutex<(key: Key, value: Value)?>(nil)

  package init() {}

  /// Returns the value for a key; `make` makes it if the key is not that of the last call.
  package func value(for key: Key, _ make: () -> Value) -> Value {
    last.withLock { last in
      if let last, last.key == key { return last.value }
      let value = make()
      last = (key, value)
      return value
    }
  }
}
