/// The places where a crash may come between two facts that outlive the process.
///
/// A test has a debug build die, or one of its threads hang, at one of them (``Plan``). In release builds ``pass()`` is
/// nothing. Each name says what has just happened; `…ing` says that it is about to become durable, and is not.
public enum Failpoint: String, CaseIterable, Sendable {
  // Start
  /// The ledger is in this program's form; what was in flight is still `active`.
  case ledgerMigrated
  /// The jobs that were in flight are about to be queued again.
  case ledgerRecovering
  /// The jobs that were in flight are queued again.
  case ledgerRecovered
  /// `.waybill` was made, or was there.
  case spoolPrepared
  /// The trial file stands in the spool.
  case trialMade
  /// The trial file stands in `.waybill`.
  case trialClaimed
  /// The trial file stands in the archive.
  case archiveTried
  /// The content of `.waybill` is known; nothing was made of it.
  case recoveryBegun
  /// Claims that a crash left have their ids, durably.
  case recoveryIdentified
  /// Claims that a crash left are admitted.
  case recoveryAdmitted
  /// The file of a release that a crash cut stands in its target.
  case recoveryPlaced
  /// A release that a crash cut is in the ledger.
  case recoveryReleased
  /// Releases are finished; no disposal is.
  case recoveryDisposing
  /// Ledger and spools are in step.
  case recoveryDone
  /// The daemon has said that it is ready.
  case started

  // The ledger
  /// A batch is written and about to be committed.
  case ledgerCommitting
  /// A batch is committed; nobody has been told.
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
  /// The directories of a claim that needs some are made.
  case claimPlaceMade
  /// A file has its claimed name, which is not durable.
  case claimRenamed
  /// The directory for sidecars was made, not durably.
  case sidecarShelfMade
  /// A sidecar has its claimed name, which is not durable; its document is still in the spool.
  case sidecarRenamed
  /// The sidecars of a batch are claimed, durably; their documents are still in the spool.
  case sidecarsSynced
  /// A sidecar without its document is in the spool again, not durably.
  case sidecarPutBack
  /// A sidecar has a second place under the id that its document is about to get.
  case sidecarLinked
  /// The names of a batch of claims are about to be made durable.
  case claimSyncing
  /// The directories that were made for claims are durable, `.waybill` is not.
  case claimPlacesSynced
  /// `.waybill` is durable, the directory that claims came from is not.
  case claimTargetSynced
  /// Claims are durable.
  case claimSynced
  /// A claimed file has the id that it asks for, which is not durable.
  case adoptRenamed
  /// The same, durably.
  case adoptSynced
  /// A batch of claims is about to become jobs.
  case admissionCommitting
  /// A batch of claims has become jobs.
  case admissionCommitted

  // Shared spools
  /// The name of the holder stands in the spool, not durably.
  case holderNamed
  /// The same, durably; the ledger does not know that the spool is held.
  case holderSynced
  /// The claims of the host that held the spool before are in the ledger; the jobs of the spool are still on hold.
  case tookOver
  /// The knowledge of this host about files that are gone has moved to the host that held the spool before.
  case movedAway
  /// Records of files that are gone are removed.
  case recordsSwept
  /// The jobs of a spool that is held go on.
  case holdCommitted
  /// A link is written beside its file under a name that nobody looks at.
  case recordWritten
  /// The same under its own name, not durably.
  case recordNamed
  /// The same, durably; the ledger has no link.
  case recordSynced
  /// The end of a job is written beside its file under a name that nobody looks at.
  case stopWritten
  /// The same under its own name, not durably.
  case stopNamed
  /// The same, durably; the ledger does not know of it.
  case stopSynced
  /// The end of a job that goes on is removed beside its file, not durably; the ledger has it going on.
  case stopRemoved

  // Attempts
  /// Jobs were handed out.
  case attemptBegun
  /// The object is stored; its link is about to be committed.
  case linkCommitting
  /// The link is committed.
  case linkCommitted
  /// The backend has taken the link; the receipt is about to be committed.
  case receiptCommitting
  /// The receipt is committed.
  case receiptCommitted
  /// An attempt has failed; that is about to be committed.
  case failureCommitting
  /// The failure of an attempt is committed.
  case failureCommitted

  /// The files of a group are listed, durably; none of this attempt is sent.
  case groupListed
  /// A file of a group is stored; its receipt is about to be committed.
  case memberStoring
  /// The receipt of a file of a group is committed.
  case memberStored

  // Storage
  /// About to send a PUT of a whole object.
  case putSending
  /// A PUT of a whole object was answered.
  case putAnswered
  /// About to ask HEAD.
  case headSending
  /// HEAD was answered.
  case headAnswered
  /// About to begin an upload in parts.
  case createSending
  /// An upload in parts was begun at the storage; its id is about to be committed.
  case createAnswered
  /// The id of an upload in parts is committed.
  case uploadCommitted
  /// About to send a part.
  case partSending
  /// A part was answered.
  case partAnswered
  /// About to ask for the parts of an upload, or for uploads.
  case listingSending
  /// A listing was answered.
  case listingAnswered
  /// About to have an object made of the parts.
  case completeSending
  /// The object was made of its parts.
  case completeAnswered
  /// About to abort an upload in parts.
  case abortSending
  /// An upload in parts was aborted.
  case abortAnswered
  /// About to delete an object.
  case deleteSending
  /// An object was deleted.
  case deleteAnswered

  // Backend
  /// About to register a link.
  case registerSending
  /// The backend has answered.
  case registerAnswered

  // Disposal
  /// A job is over; its file is about to be removed or archived.
  case disposing
  /// A file is removed; the directories of its claim are not, and the ledger does not know.
  case fileRemoved
  /// A sidecar is removed or archived, after its document; the ledger does not know.
  case sidecarRemoved
  /// A sidecar has its name in the archive.
  case sidecarArchived
  /// A sidecar has its name in the directory that its document is released to, not durably.
  case sidecarReleased
  /// A file of a group, or of an unfinished copy of one, is removed; others are there.
  case memberRemoved
  /// A disposal is done; the ledger does not know.
  case disposed
  /// A disposal is about to be committed.
  case disposalCommitting
  /// A directory below the archive was made, not durably.
  case archiveFolderMade
  /// A file has its name in the archive, by a rename.
  case archiveRenamed
  /// An empty copy was made in an archive or a release's target.
  case copyMade
  /// A copy is whole and not durable.
  case copySyncing
  /// A copy is durable under a name that nobody looks at.
  case copySynced
  /// The mark of a copy is made, not durably.
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
  /// The same, with its row; the old job still counts as not disposed of.
  case readmissionCommitted

  // Commands of people
  /// A confirm or retry is committed.
  case answerCommitted
  /// A cancel is committed; the request is not cut.
  case cancelCommitted
  /// A discard is committed; the file is there.
  case discardCommitted
  /// A release is committed; its target has nothing yet.
  case releaseCommitted
  /// The released file has its second name, or its copy has it, not durably.
  case releasePlaced
  /// The same, durably.
  case releaseSynced
  /// The release cannot be done; that is about to be committed.
  case releaseFailing
  /// The release is done in the ledger; the claimed name is still there.
  case releasedCommitted
  /// The cleanup of a cancelled job is about to begin.
  case cleanupBegun
  /// The cleanup of a cancelled job is done, and about to be committed.
  case cleanupCommitting
  /// The cleanup of a cancelled job is committed.
  case cleanupCommitted

  // The rest of its life
  /// A new configuration was read and can be used.
  case reloadRead
  /// Spools that go have ended; work goes on by the new configuration.
  case reloadReplaced
  /// The claims in new spools are found.
  case reloadRecovered
  /// Jobs whose destination has gone ask.
  case reloadAsked
  /// Removals are durable; their rows are about to leave.
  case historySynced
  /// Rows are about to leave the ledger.
  case historyCommitting
  /// Rows have left the ledger.
  case historyCommitted
  /// Nothing more is begun.
  case draining
  /// All that was in flight has ended.
  case drained
  /// The ledger is closed.
  case ledgerClosed

  // The fleet's agent
  /// The agent knows the commands of a round; none is carried out.
  case agentCommandsRead
  /// The daemon has carried out a command; the database does not know.
  case agentCarriedOut
  /// All commands of a round are carried out; the database is about to be told.
  case agentOutcomesWriting
  /// The database knows what became of a round's commands.
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
    /// Has what was asked for happen here, if anything.
    public func pass() {
      Plan.observer?(self)
      if let plan = Plan.current { plan.meet(self) }
    }

    /// Has this process call `body` at every pass of every point, before anything else happens there.
    public static func observe(_ body: @escaping @Sendable (Failpoint) -> Void) { Plan.observe(body) }

    /// Has this process call `end` at a pass of the point, counted from 1: a simulated crash.
    public func end(atPass turn: Int, by end: @escaping @Sendable () -> Never) {
      Plan.install(self, turn: turn, end)
    }
  #else
    /// Nothing: release builds have no failpoints.
    @inlinable public func pass() {}
  #endif
}
