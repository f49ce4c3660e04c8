package import Jobs

/// Receives a spool's claims and problems. Its calls begin on the spool's own thread. An error of a call ends the run, if it says no more.
package protocol SpoolIntake: Sendable {
  /// Waits until files may be claimed, and returns their maximum number. It is more than 0, unless the task was cancelled or
  /// ``stopWaiting()`` was called.
  func room() async -> Int
  /// Ends the wait of ``room()``: the run has something else to do. Called on the spool's own thread; it must not block.
  func stopWaiting()
  /// Returns true if no job has the id that a file asks for (`user.waybill.id`). Otherwise the file keeps its claim's own id.
  func isFree(_ id: JobID) async -> Bool
  /// Takes over a batch of claims whose renames are on disk. After an error ``SpoolDirectory/claimBatches()`` finds them at the next start.
  func admit(_ claims: [Claim]) async throws

  /// Takes over the claimed files of a spool that is available again, or for the first time. The ledger may have a job for some of
  /// them, and an attempt that failed may have taken over others. A `FileError` ends this attempt; any other error ends the run.
  func adoptAll(_ claims: Batches<ClaimListing>) async throws
  /// Takes over single files that were claimed and could not be read then, or got their sidecar late. It throws like ``adoptAll(_:)``.
  func adopt(_ claims: [Claim]) async throws

  /// Called when the watch of the directory, or its polling, has begun: before the first scan, and each time a lost one is back.
  func isWatched()
  /// Receives a problem. While it lasts, it is reported once for its cause and error number.
  func report(_ problem: SpoolProblem)
  func reportEnd(of cause: SpoolProblem.Cause, _ code: Int32?)

  /// Begins with a spool whose files stay where they are: called before its first scan, and each time the directory is back. Returns the
  /// name of the ledger, which is then noted in the state directory.
  func begin(_ source: KeptSource) async throws -> String
  /// Returns how these files stand in the list of sent files, in their order, for a spool whose files stay where they are.
  func standing(of files: [KeptFile]) async throws -> [KeptStanding]
  /// Called when a scan of the whole spool has asked about each file in it.
  func scannedAll() async throws

  /// Returns the claimed documents whose jobs ask about these late sidecars.
  func asking(for sidecars: Set<FileName>) async throws -> [ClaimReference]
  /// Returns those of these ids of claimed files for which the ledger has no job.
  func withoutJob(_ ids: [JobID]) async throws -> [JobID]
}
