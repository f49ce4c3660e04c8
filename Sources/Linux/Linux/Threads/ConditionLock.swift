import Glibc
import Messages

/// A value protected by a pthread mutex, with a condition variable to wait on.
///
/// It is for values that a thread waits for. All others are in a `Synchronization.Mutex`, which is smaller but has no condition
/// variable. It is sound although unchecked: the value is accessed only between lock and unlock, and the C objects never move.
@safe public final class ConditionLock<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  /// Protects a value. The lock is free at first.
  public init(_ value: Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition.initialize(to: pthread_cond_t())
    unsafe pthread_mutex_init(mutex, nil)
    // CLOCK_MONOTONIC cannot be set. With this attribute, glibc's initializers cannot fail.
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

  /// Runs `body` while the lock is held.
  public func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&value)
  }

  /// Blocks the thread until `take` returns a value: it is called with the lock held, first at once and then after each wake-up.
  public func wait<Result>(until take: (inout Value) -> Result?) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = take(&value) { return result }
      unsafe pthread_cond_wait(condition, mutex)
    }
  }

  /// The same, but returns nil once `limit` has passed.
  public func wait<Result>(atMost limit: Duration, until take: (inout Value) -> Result?) -> Result? {
    var end = Self.moment(after: limit)
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = take(&value) { return result }
      guard unsafe pthread_cond_timedwait(condition, mutex, &end) != ETIMEDOUT else { return take(&value) }
    }
  }

  /// Wakes one of the threads that wait.
  func wakeOne() { unsafe pthread_cond_signal(condition) }

  /// Wakes all threads that wait.
  public func wakeAll() { unsafe pthread_cond_broadcast(condition) }

  private static func moment(after limit: Duration) -> timespec {
    var end = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &end)
    let nanoseconds = Int(max(0, end.nanoseconds +| limit.nanoseconds))
    return timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  }
}
