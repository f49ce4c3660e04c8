/// The points where a crash may come between two facts that outlive the process.
///
/// A test can make a debug build die at one of them, or make one of its threads hang (``Plan``). In release builds ``pass()``
/// does nothing. Each name says what has just happened; `…ing` means that something is about to become durable. What is `…Made`,
/// `…Renamed` or `…Placed` is not durable yet; what is `…Synced` or `…Committed` is.
public enum Failpoint: String, CaseIterable, Sendable {
  // Start
  case ledgerMade
  case ledgerRecovering
  case ledgerRecovered
  /// `.waybill` exists.
  case spoolPrepared
  case trialMade
  case trialClaimed
  case recoveryBegun
  /// Claims that a crash left have their final ids, durably.
  case recoveryIdentified
  case recoveryAdmitted
  /// A release that a crash interrupted: the file is in the target directory.
  case recoveryPlaced
  case recoveryReleased
  /// Releases are completed; disposals are not.
  case recoveryDisposing
  case recoveryDone
  case started

  // The ledger
  case ledgerCommitting
  case ledgerCommitted
  case gateCommitting
  case pauseCommitting
  case pauseCommitted
  case resumeCommitting
  case resumeCommitted

  // Claims
  case claimBegun
  case claimPlaceMade
  case claimRenamed
  /// The directory for sidecars was created, not durably.
  case sidecarShelfMade
  case sidecarRenamed
  case sidecarsSynced
  /// Late sidecars are claimed, durably, beside their documents; their jobs do not know of them.
  case lateSidecarsSynced
  case sidecarPutBack
  /// A sidecar has a second name, under the id that its document is about to get.
  case sidecarLinked
  case claimSyncing
  /// The directories that were created for claims are durable; `.waybill` is not.
  case claimPlacesSynced
  /// `.waybill` is durable; the directory that claims came from is not.
  case claimTargetSynced
  case claimSynced
  /// A claimed file has the id that it asks for, not durably.
  case adoptRenamed
  case adoptSynced
  case admissionCommitting
  case admissionCommitted

  // Attempts
  case attemptBegun
  case linkCommitting
  case linkCommitted
  case receiptCommitting
  case receiptCommitted
  case failureCommitting
  case failureCommitted

  case groupListed
  case memberStoring
  case memberStored

  // Storage
  case putSending
  case putAnswered
  case headSending
  case headAnswered
  case createSending
  case createAnswered
  case uploadCommitted
  case partSending
  case partAnswered
  case listingSending
  case listingAnswered
  case completeSending
  case completeAnswered
  case abortSending
  case abortAnswered
  case deleteSending
  case deleteAnswered

  // Backend
  case registerSending
  case registerAnswered

  // Disposal
  case disposing
  case fileRemoved
  case sidecarRemoved
  case sidecarArchived
  case sidecarReleased
  case memberRemoved
  case disposed
  case disposalCommitting
  case archiveFolderMade
  case archiveRenamed
  case copyMade
  case copySyncing
  /// A copy is durable under a temporary name.
  case copySynced
  /// The mark of a copy is created, not durably.
  case archiveMarking
  case archiveMarked
  case archivePlaced
  case archiveSynced
  case archiveSourceRemoved
  case archiveMarkRemoved
  /// A file that was written to after its upload has its new id, not durably.
  case readmissionRenamed
  case readmissionSynced
  case readmissionCommitted

  // Commands of people
  case answerCommitted
  case cancelCommitted
  case discardCommitted
  case releaseCommitted
  /// The released file, or a copy of it, has its name in the target, not durably.
  case releasePlaced
  case releaseSynced
  case releaseFailing
  /// The release is committed as done; the claimed name is still there.
  case releasedCommitted
  case cleanupBegun
  case cleanupCommitting
  case cleanupCommitted

  // Reload, history and end
  case reloadRead
  /// Removed spools have ended; work continues with the new configuration.
  case reloadReplaced
  case reloadRecovered
  case reloadAsked
  /// Removals are durable; their rows are about to be deleted.
  case historySynced
  case historyCommitting
  case historyCommitted
  case draining
  case drained
  case ledgerClosed

  // The fleet's agent
  case agentCommandsRead
  /// The daemon has carried out a command; the database has not recorded it.
  case agentCarriedOut
  case agentOutcomesWriting
  case agentOutcomesWritten
  case agentBatchCommitting
  case agentBatchCommitted

  /// The points of the fleet's agent; the others are the daemon's.
  public static let ofAgent = allCases.filter { $0.rawValue.hasPrefix("agent") }
  /// The points of the daemon.
  public static let ofDaemon = allCases.filter { !$0.rawValue.hasPrefix("agent") }
}

extension Failpoint {
  #if DEBUG || SIMULATION
    /// Carries out the plan for this point, if there is one.
    public func pass() {
      Plan.observer?(self)
      if let plan = Plan.current { plan.meet(self) }
    }
  #else
    /// Does nothing: release builds have no failpoints.
    @inlinable public func pass() {}
  #endif
}
