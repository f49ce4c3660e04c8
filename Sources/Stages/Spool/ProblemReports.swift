/// Reports each problem once while it lasts, and reports its end. A problem has ended if neither the last scan met it, nor
/// anything else since the scan before. (A file that a scan finds may be claimed only after the end of that scan.)
struct ProblemReports {
  private struct Key: Hashable {
    let cause: SpoolProblem.Cause
    let errno: Int32?
  }

  private let onProblem: @Sendable (SpoolProblem) -> Void
  private let onEnd: @Sendable (SpoolProblem.Cause, Int32?) -> Void
  private var told: Set<Key> = []
  private var met: Set<Key> = []
  private var metBefore: Set<Key> = []

  init(
    _ onProblem: @escaping @Sendable (SpoolProblem) -> Void,
    end: @escaping @Sendable (SpoolProblem.Cause, Int32?) -> Void = { _, _ in }
  ) {
    self.onProblem = onProblem
    onEnd = end
  }

  /// True if there is a problem that keeps files from being taken.
  var hasLasting: Bool { told.contains { $0.cause.lasts } }

  /// Returns true if a problem of this cause is reported and has not ended.
  func isTold(_ cause: SpoolProblem.Cause) -> Bool { told.contains { $0.cause == cause } }

  mutating func report(_ problem: SpoolProblem) {
    let key = Key(cause: problem.cause, errno: problem.errno)
    met.insert(key)
    if told.insert(key).inserted { onProblem(problem) }
  }

  mutating func beginScan() {
    metBefore = met
    met = []
  }

  mutating func endScan() {
    let (met, metBefore) = (met, metBefore)
    end { !met.contains($0) && !metBefore.contains($0) }
  }

  mutating func forget() {
    end { _ in true }
    met = []
    metBefore = []
  }

  /// Ends the problems of a cause that is known to be over.
  mutating func forget(_ cause: SpoolProblem.Cause) { forget { $0.cause == cause } }

  /// Ends all problems except those of `cause` and the given one.
  mutating func forgetAll(but cause: SpoolProblem.Cause, and problem: SpoolProblem) {
    forget { $0.cause != cause && $0 != Key(cause: problem.cause, errno: problem.errno) }
  }

  private mutating func forget(where isOver: (Key) -> Bool) {
    end(where: isOver)
    met = met.filter { !isOver($0) }
    metBefore = metBefore.filter { !isOver($0) }
  }

  private mutating func end(where isOver: (Key) -> Bool) {
    for key in told where isOver(key) {
      told.remove(key)
      onEnd(key.cause, key.errno)
    }
  }
}
