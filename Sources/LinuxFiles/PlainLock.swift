import Glibc

/// A value behind a pthread mutex, with a condition to wait for.
///
/// Synchronization's Mutex has no condition, and the thread sanitizer does not see it.
/// Sound although unchecked: the value is touched only between lock and unlock, and the C objects never move.
@safe final class PlainLock<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  init(_ value: Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition.initialize(to: pthread_cond_t())
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(condition, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&value)
  }

  /// Waits, without the lock, until the value is as it should be; then runs the body with it.
  func withLock<Result>(waitingUntil isReady: (Value) -> Bool, _ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while !isReady(value) { unsafe pthread_cond_wait(condition, mutex) }
    return body(&value)
  }

  func wakeOne() { unsafe pthread_cond_signal(condition) }

  func wakeAll() { unsafe pthread_cond_broadcast(condition) }
}
