public import Jobs

/// The taker of a spool's files: a spool hands over claims and reports problems to it. Its calls run on the spool's own thread until they
/// await something else.
public protocol SpoolIntake: Sendable {
  /// Waits until files may be claimed, and returns their number: more than 0, unless the task was cancelled.
  func room() async -> Int
  /// Returns true if an id that a file asks for (`user.waybill.id`) is free. If it is not, the file gets an id of its own.
  func isFree(_ id: JobID) async -> Bool
  /// Takes over a batch whose renames are on disk. Called once per batch, one batch at a time. An error ends the run: the
  /// files stay claimed, and ``SpoolDirectory/claimed()`` finds them at the next start.
  func admit(_ claims: [Claim]) async throws
  /// Called when there is nothing to claim for now, so that unused room is free again.
  func rest()

  /// Takes over the claimed files of a spool that was lost and is back, or could not be used before, in batches. The ledger may
  /// have a job for some of them and none for others. A batch may come again. `FileError` ends this try; any other error ends
  /// the run. Also takes over single files that were claimed and could not be looked at.
  func adopt(_ claims: [Claim]) async throws
  /// Called when all of them were handed over. It throws as ``adopt(_:)`` does.
  func adoptedAll() async throws

  /// Called when the directory is watched from now on (or polled, if it cannot be watched): before the first scan, and each
  /// time a lost directory is back.
  func isWatched()
  /// Receives problems. While a problem lasts, it is reported once per cause.
  func report(_ problem: SpoolProblem)
  /// Receives the end of a problem with that cause and error number.
  func reportEnd(of cause: SpoolProblem.Cause, _ code: Int32?)

  /// Takes over the claimed files of a shared spool that is held from now on, in batches. They may be in this ledger or not.
  /// A batch may come again.
  ///
  /// - Parameters:
  ///   - holder: the other host that held it last; nil if this one did, or nobody.
  ///   - isPatient: true if an error that may pass is thrown, and false if its file is set aside.
  /// - Returns: the files that are set aside because what stands beside them cannot be read.
  /// - Throws: `FileError` or `LostHold`, which end this try; any other error ends the run.
  func takeOver(_ claims: [Claim], from holder: SpoolHolder?, isPatient: Bool) async throws -> [SetAside]
  /// Called when all claimed files of a shared spool were handed over. The ledger has that tenure as complete from then on. It
  /// throws as ``takeOver(_:from:isPatient:)`` does.
  ///
  /// - Parameters:
  ///   - holder: the same as of ``takeOver(_:from:isPatient:)``.
  ///   - mover: the daemon that has gone on with the files that are gone; nil if they are simply gone.
  ///   - tenure: the id of the time in which the spool is held.
  func tookOverAll(from holder: SpoolHolder?, mover: SpoolHolder?, tenure: String) async throws
  /// Takes over claimed files of a shared spool that may be in no ledger: a host that had lost the spool claimed them, they could
  /// not be looked at, or they were set aside. It returns and throws as ``takeOver(_:from:isPatient:)`` does.
  func adoptStrays(_ claims: [Claim]) async throws -> [SetAside]
  /// Returns the last tenure of a shared spool that is complete in the ledger; nil if none is. An error ends the run.
  func completedTenure() async throws -> String?
  /// Returns those of these ids of claimed files that the ledger has no job for, or one that another host went on with. An error
  /// ends the run.
  func withoutJob(_ ids: [JobID]) async throws -> [JobID]
  /// Called when another host holds a shared spool. An error ends the run.
  func standBy(for holder: SpoolHolder) async throws
  /// Called when the hold on a shared spool was lost, at once and on whatever thread met it. It must not block.
  func lost(_ loss: LostHold)
}
