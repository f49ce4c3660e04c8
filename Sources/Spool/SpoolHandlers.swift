public import Jobs

extension SpoolDirectory {
  /// The functions that a spool calls: to hand over claims and to report problems. The closures run on the spool's own thread
  /// until they await something else.
  public struct Handlers: Sendable {
    /// Waits until files may be claimed, and returns their number: more than 0, unless the task was cancelled.
    public var room: @Sendable () async -> Int
    /// Returns true if an id that a file asks for (`user.waybill.id`) is free. If it is not, the file gets an id of its own.
    public var isFree: @Sendable (JobID) async -> Bool
    /// Takes over a batch whose renames are on disk. Called once per batch, one batch at a time. An error ends the run: the
    /// files stay claimed, and ``SpoolDirectory/claimed()`` finds them at the next start.
    public var admit: @Sendable ([Claim]) async throws -> Void
    /// Takes over the claimed files of a spool that was lost and is back, or could not be used before, in batches. The ledger may
    /// have a job for some of them and none for others. A batch may come again. `FileError` ends this try; any other error ends
    /// the run. Also takes over single files that were claimed and could not be looked at.
    public var returned: @Sendable ([Claim]) async throws -> Void
    /// Called when all of them were handed over. It throws as ``returned`` does.
    public var handedOver: @Sendable () async throws -> Void = {}
    /// Receives problems. While a problem lasts, it is reported once per cause.
    public var problem: @Sendable (SpoolProblem) -> Void
    /// Receives the end of a problem with that cause and error number.
    public var problemEnded: @Sendable (SpoolProblem.Cause, Int32?) -> Void
    /// Called when the directory is watched from now on (or polled, if it cannot be watched): before the first scan, and each
    /// time a lost directory is back.
    public var watching: @Sendable () -> Void
    /// Takes over the claimed files of a shared spool that is held from now on, in batches. They may be in this ledger or not.
    /// A batch may come again.
    ///
    /// - Parameters:
    ///   - holder: the other host that held it last; nil if this one did, or nobody.
    ///   - isPatient: true if an error that may pass is thrown, and false if its file is set aside.
    /// - Returns: the files that are set aside because what stands beside them cannot be read.
    /// - Throws: `FileError` or `LostHold`, which end this try; any other error ends the run.
    public var tookOver:
      @Sendable (_ claims: [Claim], _ holder: SpoolHolder?, _ isPatient: Bool) async throws -> [SetAside] = { _, _, _ in
        []
      }
    /// Called when all claimed files of a shared spool were handed over. The ledger has that tenure as complete from then on. It
    /// throws as ``tookOver`` does.
    ///
    /// - Parameters:
    ///   - holder: the same as of ``tookOver``.
    ///   - mover: the daemon that has gone on with the files that are gone; nil if they are simply gone.
    ///   - tenure: the id of the time in which the spool is held.
    public var holds: @Sendable (_ holder: SpoolHolder?, _ mover: SpoolHolder?, _ tenure: String) async throws -> Void =
      { _, _, _ in }
    /// Returns the last tenure of a shared spool that is complete in the ledger; nil if none is. An error ends the run.
    public var completedTenure: @Sendable () async throws -> String? = { nil }
    /// Takes over claimed files of a shared spool that may be in no ledger: a host that had lost the spool claimed them, they could
    /// not be looked at, or they were set aside. It returns and throws as ``tookOver`` does.
    public var strays: @Sendable ([Claim]) async throws -> [SetAside] = { _ in [] }
    /// Returns those of these ids of claimed files that the ledger has no job for, or one that another host went on with. An error
    /// ends the run.
    public var withoutJob: @Sendable ([JobID]) async throws -> [JobID] = { _ in [] }
    /// Called when another host holds a shared spool. An error ends the run.
    public var standsBy: @Sendable (SpoolHolder) async throws -> Void = { _ in }
    /// Called when the hold on a shared spool was lost, at once and on whatever thread met it. It must not block.
    public var lost: @Sendable (LostHold) -> Void = { _ in }
    /// Called when there is nothing to claim for now, so that unused room is free again.
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
