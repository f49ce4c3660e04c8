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
    // Waits with a limit are to run on the clock that nobody sets. With such attributes glibc's initialisers cannot fail.
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
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

  /// The same for so long at most; nil where the value is not as it should be by then.
  func withLock<Result>(
    waitingUntil isReady: (Value) -> Bool, atMost limit: Duration, _ body: (inout Value) -> Result
  ) -> Result? {
    var end = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &end)
    let (seconds, attoseconds) = limit.components
    let nanoseconds = end.tv_nsec + Int(attoseconds / 1_000_000_000)
    end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while !isReady(value) {
      guard unsafe pthread_cond_timedwait(condition, mutex, &end) != ETIMEDOUT else { break }
    }
    return isReady(value) ? body(&value) : nil
  }

  func wakeOne() { unsafe pthread_cond_signal(condition) }

  func wakeAll() { unsafe pthread_cond_broadcast(condition) }
}
