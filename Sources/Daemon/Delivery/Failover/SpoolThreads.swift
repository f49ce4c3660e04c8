import Jobs
package import Linux
import ObjectStorage
import Spool

/// The threads that make the blocking calls on a spool's files.
///
/// A shared spool has its own threads, so that a file server that hangs delays no other spool. One more thread checks the spool's
/// lock, by one call at a time. If that call has no answer within ``patience``, it is not known if this host still holds the
/// lock. Then the lock counts as lost, and callers that wait for the spool's files go on without them.
package final class SpoolThreads: Sendable {
  /// The longest wait for the answer to a check of the lock.
  static let patience = Duration.seconds(10)
  /// The time between two checks of a lock while nothing else uses it.
  static let interval = Duration.seconds(5)

  /// The threads for the files.
  let files: FileThreads
  /// The threads that dispose of files: a copy to another file system takes long, and no file is sent meanwhile on a thread that makes one.
  private let disposals: FileThreads
  /// The thread that checks the lock; nil if the spool is not shared.
  private let lookout: FileThreads?
  private let turns = Turns<Bool>()

  /// Creates threads that several spools use.
  package init(sharing workers: WorkerThreads, disposing: WorkerThreads) {
    files = FileThreads(sharing: workers)
    disposals = FileThreads(sharing: disposing)
    lookout = nil
  }

  /// Creates the threads of a shared spool.
  ///
  /// - Parameter count: the number of those for files.
  package init(own count: Int, on machine: Machine) throws(ThreadError) {
    files = FileThreads(own: try WorkerThreads(count: count, name: "files shared", on: machine), on: machine)
    disposals = files
    lookout = FileThreads(own: try WorkerThreads(count: 1, name: "files lookout", on: machine), on: machine)
  }

  /// Runs a blocking call on a spool's files.
  ///
  /// - Throws: the error of the call, or a `FileError` that may pass if the call was given up.
  func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T { try await run(on: files, body) }

  /// Runs a blocking call that disposes of files of the spool, like ``run(_:)``.
  func dispose<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await run(on: disposals, body)
  }

  private func run<T: Sendable>(on threads: FileThreads, _ body: @escaping @Sendable () throws -> T) async throws -> T {
    do {
      return try await threads.run(body)
    } catch is CancellationError {
      throw FileError(
        "use", path: "the spool", errno: Self.unanswered, advice: "its file system does not answer")
    }
  }

  /// Starts a blocking call that disposes of files of a spool that is not shared, and returns at once.
  func startDisposal(_ body: @escaping @Sendable () -> Void) { disposals.start(body) }

  /// ETIMEDOUT: it may pass.
  private static let unanswered: Int32 = 110

  /// Returns true if this host may work in a spool now. It asks the file system, at most once a second.
  func isHeld(_ directory: SpoolDirectory, on machine: Machine) async -> Bool {
    if directory.isLockFresh { return true }
    guard directory.isHeld else { return false }
    return await look(on: machine, isKnown: { directory.isLockFresh }, lose: { directory.loseLock($0) }) {
      try directory.confirmLock()
    }
  }

  /// Checks the lock by one call, whose answer serves all callers that ask in the meantime.
  ///
  /// - Parameters:
  ///   - isKnown: returns true if an answer came a moment ago.
  ///   - lose: called with the reason if there is no answer in time.
  ///   - confirm: asks the file system; throws if the lock is lost.
  func look(
    on machine: Machine, patience limit: Duration = patience, isKnown: @escaping @Sendable () -> Bool,
    lose: @escaping @Sendable (String) -> Void, confirm: @escaping @Sendable () throws -> Void
  ) async -> Bool {
    guard let lookout else { return true }
    do {
      try await turns.run(true) {
        if isKnown() { return }
        let isConfirmed = await answer(within: limit, on: machine) {
          do {
            try await lookout.run(confirm)
            return true
          } catch {
            return false
          }
        }
        if isConfirmed == nil {
          lose("its file system has not answered for \(limit.inUnits)")
          lookout.giveUp()
          files.giveUp()
        }
        guard isConfirmed == true else { throw CancellationError() }
      }
      return true
    } catch {
      return false
    }
  }
}
