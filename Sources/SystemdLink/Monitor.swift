import Glibc

/// State behind a pthread mutex, with a condition to wait on.
///
/// `Synchronization.Mutex` has no condition, and ThreadSanitizer does not see it on Linux.
///
/// `@unchecked Sendable` is sound: `state` is touched only inside `withLock` and `wait`, both of which hold the mutex,
/// and mutex and condition are allocated once and live as long as the monitor.
@safe final class Monitor<State: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  init(_ state: State) {
    self.state = state
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition.initialize(to: pthread_cond_t())
    // With default attributes glibc's initialisers cannot fail.
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(condition, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Runs `body` alone.
  func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Blocks the thread until `take` gives a value; it is asked under the lock, at once and after every `wake`.
  func wait<Result>(until take: (inout State) -> Result?) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = take(&state) { return result }
      unsafe pthread_cond_wait(condition, mutex)
    }
  }

  /// Wakes whoever waits.
  func wake() { unsafe pthread_cond_broadcast(condition) }
}
