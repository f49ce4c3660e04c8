// For programs under ThreadSanitizer: what is done before a continuation is resumed comes before what follows its await.
// Swift's runtime says so where it has to wake the task, and forgets to where the task finds, on its way to sleep, that it was
// resumed already (swift_continuation_await in libswift_Concurrency of Swift 6.3). Once in thousands of times, whatever a
// thread hands to a task would look like a race. These functions stand before the runtime's own, and say it every time.
//
//   swiftc -O -emit-library -parse-as-library thread-sanitizer.swift -o continuations.so && LD_PRELOAD=$PWD/continuations.so …
import Glibc
import _Concurrency

private typealias Acquire = @convention(c) (UnsafeRawPointer?) -> Void
private typealias CurrentTask = @convention(c) () -> UnsafeRawPointer?

private func find<Function>(_ name: String, as type: Function.Type) -> Function? {
  dlsym(nil, name).map { unsafeBitCast($0, to: type) }
}

// Not there in programs without the sanitizer, which are started with this too.
private let acquire = find("__tsan_acquire", as: Acquire.self)
private let currentTask = find("swift_task_getCurrent", as: CurrentTask.self)

private func acquireTask() { acquire?(currentTask?()) }

/// Stands before `withCheckedContinuation(isolation:function:_:)`.
@_silgen_name("$ss23withCheckedContinuation9isolation8function_xScA_pSgYi_SSyScCyxs5NeverOGXEtYalF")
public func withAcquiredContinuation<Value>(
  isolation: isolated (any Actor)?, function: String, _ body: (CheckedContinuation<Value, Never>) -> Void
) async -> sending Value {
  defer { acquireTask() }
  return await withUnsafeContinuation { body(CheckedContinuation(continuation: $0, function: function)) }
}

/// Stands before `withCheckedThrowingContinuation(isolation:function:_:)`.
@_silgen_name("$ss31withCheckedThrowingContinuation9isolation8function_xScA_pSgYi_SSyScCyxs5Error_pGXEtYaKlF")
public func withAcquiredThrowingContinuation<Value>(
  isolation: isolated (any Actor)?, function: String, _ body: (CheckedContinuation<Value, any Error>) -> Void
) async throws -> sending Value {
  defer { acquireTask() }
  return try await withUnsafeThrowingContinuation { body(CheckedContinuation(continuation: $0, function: function)) }
}
