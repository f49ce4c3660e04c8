/// A suspended caller that waits for a value. It must be resumed exactly once, from any thread.
///
/// In debug builds the runtime checks that. In release builds a wait allocates nothing.
@safe public struct Waiter<Value: Sendable>: Sendable {
  #if DEBUG
    private let continuation: CheckedContinuation<Value, Never>
  #else
    private let continuation: UnsafeContinuation<Value, Never>
  #endif

  /// Suspends the caller until its waiter is resumed. `body` passes the waiter on, and runs in the caller's context.
  public static func wait(_ body: (Waiter<Value>) -> Void) async -> Value {
    #if DEBUG
      await withCheckedContinuation { body(Waiter(continuation: $0)) }
    #else
      unsafe await withUnsafeContinuation { unsafe body(Waiter(continuation: $0)) }
    #endif
  }

  /// Resumes the caller with a value.
  public func resume(returning value: Value) {
    #if DEBUG
      continuation.resume(returning: value)
    #else
      unsafe continuation.resume(returning: value)
    #endif
  }
}
