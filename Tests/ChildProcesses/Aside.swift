import Foundation
import Glibc
import Synchronization
public import Testing

/// The trait of a suite whose tests keep a thread for long, with work or in calls that block: they run on threads beside the pool.
///
/// The pool has as many threads as there are processors. Two such tests would hold both, and meanwhile no server of another test in
/// this process answers: it took minutes on a slow disk, and clients wait for seconds.
public struct AsideTrait: SuiteTrait, TestTrait, TestScoping {
  /// Every test goes aside, with all of its arguments.
  public var isRecursive: Bool { true }

  /// Runs a test there.
  @concurrent public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await withTaskExecutorPreference(AsideThreads.shared) { try await function() }
  }
}

extension Trait where Self == AsideTrait {
  /// On threads beside the pool.
  public static var aside: Self { Self() }
}

/// As many threads as there are processors, which give way to the others.
private final class AsideThreads: TaskExecutor {
  static let shared = AsideThreads()

  private let jobs = Mutex<[UnownedJob]>([])
  private let isThere = DispatchSemaphore(value: 0)

  private init() {
    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
      Thread.detachNewThread { [self] in
        // Of this thread alone: on Linux each has a priority of its own (setpriority(2), "C library/kernel differences").
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        while true {
          isThere.wait()
          if let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
          }
        }
      }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    isThere.signal()
  }
}
