public import Jobs

extension SpoolDirectory {
  /// The functions that a spool calls: where claims go, and who hears of problems. The closures run on the spool's own thread until they await something else.
  public struct Handlers: Sendable {
    /// Waits until files may be claimed, and gives how many: more than 0, unless the task was cancelled.
    public var room: @Sendable () async -> Int
    /// Whether an id that a file asks for (`user.waybill.id`) is free; a file whose id is not gets one of its own.
    public var isFree: @Sendable (JobID) async -> Bool
    /// Takes over a batch whose renames are on disk; called once per batch, one at a time. An error ends the run: the
    /// files stay claimed, and ``SpoolDirectory/claimed()`` finds them at the next start.
    public var admit: @Sendable ([Claim]) async throws -> Void
    /// Takes over files that stand claimed in a spool that was lost and is back, in batches: a job may be in the ledger for
    /// some, and not for others. An error ends the run.
    public var returned: @Sendable ([Claim]) async throws -> Void
    /// Hears of problems. While one lasts it is told once per cause.
    public var problem: @Sendable (SpoolProblem) -> Void
    /// Hears that a problem of that cause and error number is over.
    public var problemEnded: @Sendable (SpoolProblem.Cause, Int32?) -> Void
    /// Hears that the directory is watched from now on (or polled, where it cannot be): before the first scan, and each
    /// time a lost directory is back.
    public var watching: @Sendable () -> Void
    /// Hears that there is nothing to claim for now, so that room which was given and not used is free again.
    public var resting: @Sendable () -> Void

    /// Handlers.
    public init(
      room: @escaping @Sendable () async -> Int,
      isFree: @escaping @Sendable (JobID) async -> Bool = { _ in true },
      admit: @escaping @Sendable ([Claim]) async throws -> Void,
      returned: @escaping @Sendable ([Claim]) async throws -> Void,
      problem: @escaping @Sendable (SpoolProblem) -> Void,
      problemEnded: @escaping @Sendable (SpoolProblem.Cause, Int32?) -> Void = { _, _ in },
      watching: @escaping @Sendable () -> Void = {},
      resting: @escaping @Sendable () -> Void = {}
    ) {
      self.room = room
      self.isFree = isFree
      self.admit = admit
      self.returned = returned
      self.problem = problem
      self.problemEnded = problemEnded
      self.watching = watching
      self.resting = resting
    }
  }
}
