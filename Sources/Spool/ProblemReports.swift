/// Tells of each problem once while it lasts: it is over when neither the last scan nor the time since the one before met
/// it. (What a scan finds may be claimed only after its end.)
struct ProblemReports {
  private struct Key: Hashable {
    let cause: SpoolProblem.Cause
    let errno: Int32?
  }

  private let tell: @Sendable (SpoolProblem) -> Void
  private var told: Set<Key> = []
  private var met: Set<Key> = []
  private var metBefore: Set<Key> = []

  init(_ tell: @escaping @Sendable (SpoolProblem) -> Void) { self.tell = tell }

  mutating func tell(_ problem: SpoolProblem) {
    let key = Key(cause: problem.cause, errno: problem.errno)
    met.insert(key)
    if told.insert(key).inserted { tell(problem) }
  }

  mutating func beginScan() {
    metBefore = met
    met = []
  }

  mutating func endScan() { told.formIntersection(met.union(metBefore)) }

  mutating func forget() {
    told = []
    met = []
    metBefore = []
  }
}
