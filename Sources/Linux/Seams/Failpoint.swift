/// The places where a crash may come between two facts that outlive the process.
///
/// A test can make a debug build die at one of them, or make one of its threads hang (``Plan``). In release builds ``pass()``
/// does nothing. Each name says what has just happened; `…ing` means that something is about to become durable.
public enum Failpoint: String, CaseIterable, Sendable {
  // Start
  /// The ledger has its tables; jobs that were in flight are still `active`.
  case ledgerMade
  /// The jobs that were in flight are about to be queued again.
  case ledgerRecovering
  /// The jobs that were in flight are queued again.
  case ledgerRecovered
  /// `.waybill` exists.
  case spoolPrepared
  /// The trial file is in the spool.
  case trialMade
  /// The trial file is in `.waybill`.
  case trialClaimed
  /// The contents of `.waybill` are read; nothing was done with them.
  case recoveryBegun
  /// Claims that a crash left have their final ids, durably.
  case recoveryIdentified
  /// Claims that a crash left are admitted.
  case recoveryAdmitted
  /// A release that a crash interrupted: the file is in the target directory.
  case recoveryPlaced
  /// A release that a crash interrupted is committed.
  case recoveryReleased
  /// Releases are completed; disposals are not.
  case recoveryDisposing
  /// The ledger and the spools agree.
  case recoveryDone
  /// The daemon has reported that it is ready.
  case started

  // The ledger
  /// A batch is written and about to be committed.
  case ledgerCommitting
  /// A batch is committed; nobody has been notified.
  case ledgerCommitted
  /// The row of a gate is written and about to be committed.
  case gateCommitting
  /// A pause is about to be committed.
  case pauseCommitting
  /// A pause is committed.
  case pauseCommitted
  /// The end of a pause is about to be committed.
  case resumeCommitting
  /// The end of a pause is committed.
  case resumeCommitted

  // Claims
  /// A file is about to be claimed.
  case claimBegun
  /// The directories for a nested claim are created.
  case claimPlaceMade
  /// A file has its claimed name, not durably.
  case claimRenamed
  /// The directory for sidecars was created, not durably.
  case sidecarShelfMade
  /// A sidecar has its claimed name, not durably; its document is still in the spool.
  case sidecarRenamed
  /// The sidecars of a batch are claimed, durably; their documents are still in the spool.
  case sidecarsSynced
  /// Late sidecars are claimed, durably, beside their documents; their jobs do not know of them.
  case lateSidecarsSynced
  /// A sidecar without its document is in the spool again, not durably.
  case sidecarPutBack
  /// A sidecar has a second name, under the id that its document is about to get.
  case sidecarLinked
  /// The names of a batch of claims are about to be made durable.
  case claimSyncing
  /// The directories that were created for claims are durable; `.waybill` is not.
  case claimPlacesSynced
  /// `.waybill` is durable; the directory that claims came from is not.
  case claimTargetSynced
  /// Claims are durable.
  case claimSynced
  /// A claimed file has the id that it asks for, not durably.
  case adoptRenamed
  /// The same, durably.
  case adoptSynced
  /// A batch of claims is about to become jobs.
  case admissionCommitting
  /// A batch of claims has become jobs.
  case admissionCommitted

  // Attempts
  /// Jobs were handed out.
  case attemptBegun
  /// The object is stored; its link is about to be committed.
  case linkCommitting
  /// The link is committed.
  case linkCommitted
  /// The backend has accepted the link; the receipt is about to be committed.
  case receiptCommitting
  /// The receipt is committed.
  case receiptCommitted
  /// An attempt has failed, which is about to be committed.
  case failureCommitting
  /// The failure of an attempt is committed.
  case failureCommitted

  /// The files of a group are listed, durably; none was sent by this attempt.
  case groupListed
  /// A file of a group is stored; its receipt is about to be committed.
  case memberStoring
  /// The receipt of a file of a group is committed.
  case memberStored

  // Storage
  /// A PUT of a whole object is about to be sent.
  case putSending
  /// A PUT of a whole object was answered.
  case putAnswered
  /// A HEAD is about to be sent.
  case headSending
  /// HEAD was answered.
  case headAnswered
  /// An upload in parts is about to be begun.
  case createSending
  /// An upload in parts was begun at the storage; its id is about to be committed.
  case createAnswered
  /// The id of an upload in parts is committed.
  case uploadCommitted
  /// A part is about to be sent.
  case partSending
  /// A part was answered.
  case partAnswered
  /// A listing of parts or uploads is about to be requested.
  case listingSending
  /// A listing was answered.
  case listingAnswered
  /// An upload in parts is about to be completed.
  case completeSending
  /// An upload in parts was completed.
  case completeAnswered
  /// An upload in parts is about to be aborted.
  case abortSending
  /// An upload in parts was aborted.
  case abortAnswered
  /// An object is about to be deleted.
  case deleteSending
  /// An object was deleted.
  case deleteAnswered

  // Backend
  /// A link is about to be registered.
  case registerSending
  /// The backend has answered.
  case registerAnswered

  // Disposal
  /// A job is over; its file is about to be removed or archived.
  case disposing
  /// A file is removed; the directories of its claim are not, and the ledger has not recorded it.
  case fileRemoved
  /// A sidecar is removed or archived, after its document; the ledger has not recorded it.
  case sidecarRemoved
  /// A sidecar has its name in the archive.
  case sidecarArchived
  /// A sidecar has its name in the directory that its document is released to, not durably.
  case sidecarReleased
  /// A file of a group, or of an incomplete copy of one, is removed; others are not.
  case memberRemoved
  /// A disposal is done; the ledger has not recorded it.
  case disposed
  /// A disposal is about to be committed.
  case disposalCommitting
  /// A directory below the archive was created, not durably.
  case archiveFolderMade
  /// A file has its name in the archive, by a rename.
  case archiveRenamed
  /// An empty copy was created in an archive or a release's target.
  case copyMade
  /// A copy is complete, not durable.
  case copySyncing
  /// A copy is durable under a temporary name.
  case copySynced
  /// The mark of a copy is created, not durably.
  case archiveMarking
  /// The mark of a copy is durable.
  case archiveMarked
  /// A copy has its name in the archive, not durably.
  case archivePlaced
  /// A copy has its name in the archive, durably; the file is still there.
  case archiveSynced
  /// An archived file is removed from `.waybill`; its mark is not.
  case archiveSourceRemoved
  /// The mark of an archived file is removed.
  case archiveMarkRemoved
  /// A file that was written to after its upload has its new id, not durably.
  case readmissionRenamed
  /// The same, durably; it has no row.
  case readmissionSynced
  /// The same, with its row; the ledger still has the old job as not disposed of.
  case readmissionCommitted

  // Commands of people
  /// A confirm or retry is committed.
  case answerCommitted
  /// A cancel is committed; the request still runs.
  case cancelCommitted
  /// A discard is committed; the file is still there.
  case discardCommitted
  /// A release is committed; nothing is in its target yet.
  case releaseCommitted
  /// The released file, or a copy of it, has its name in the target, not durably.
  case releasePlaced
  /// The same, durably.
  case releaseSynced
  /// The release is impossible, which is about to be committed.
  case releaseFailing
  /// The release is committed as done; the claimed name is still there.
  case releasedCommitted
  /// The cleanup of a cancelled job is about to begin.
  case cleanupBegun
  /// The cleanup of a cancelled job is done, and about to be committed.
  case cleanupCommitting
  /// The cleanup of a cancelled job is committed.
  case cleanupCommitted

  // The rest of its life
  /// A new configuration was read and is valid.
  case reloadRead
  /// Removed spools have ended; work continues with the new configuration.
  case reloadReplaced
  /// The claims in new spools are read.
  case reloadRecovered
  /// Jobs whose destination was removed ask a question.
  case reloadAsked
  /// Removals are durable; their rows are about to be deleted.
  case historySynced
  /// The deletion of rows is about to be committed.
  case historyCommitting
  /// The deletion of rows is committed.
  case historyCommitted
  /// No new work is begun.
  case draining
  /// Everything that was in flight has ended.
  case drained
  /// The ledger is closed.
  case ledgerClosed

  // The fleet's agent
  /// The agent has read the commands of a round; none is carried out.
  case agentCommandsRead
  /// The daemon has carried out a command; the database has not recorded it.
  case agentCarriedOut
  /// All commands of a round are carried out; their outcomes are about to be written to the database.
  case agentOutcomesWriting
  /// The database has the outcomes of a round's commands.
  case agentOutcomesWritten
  /// A change of the mirror is made and about to be committed.
  case agentBatchCommitting
  /// A change of the mirror is committed.
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

    /// Makes this process call `body` at every pass of every point, before anything else happens there.
    public static func observe(_ body: @escaping @Sendable (Failpoint) -> Void) { Plan.observe(body) }

    /// Makes this process call `end` at this pass of the point, counted from 1: a simulated crash.
    public func end(atPass turn: Int, by end: @escaping @Sendable () -> Never) {
      Plan.install(self, turn: turn, end)
    }
  #else
    /// Does nothing: release builds have no failpoints.
    @inlinable public func pass() {}
  #endif
}
