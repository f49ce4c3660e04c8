import Failpoints
import Foundation

/// A few files and what is done with them, so that the daemon comes by certain failpoints.
enum CrashScenario {
  /// Three small files, one of them from a directory below the spool, one with an id that it asks for; the first upload
  /// fails once.
  case plain
  /// A file in parts, the second of which fails once.
  case parts
  /// A file in parts that are refused, cancelled.
  case partsCancelled
  /// Files that are archived in the same file system.
  case archive
  /// Files that are archived in another one.
  case archiveElsewhere
  /// A file that is written to after its upload.
  case rewritten
  /// Files that the backend refuses, cancelled in each way, and then discarded and given back.
  case cancelled
  /// One that cannot be given back.
  case releaseRefused
  /// Documents with sidecars: in the spool, below it, and one with an id that it asks for.
  case sidecars
  /// The same, archived in the same file system.
  case sidecarsArchived
  /// The same, archived in another one.
  case sidecarsArchivedElsewhere
  /// Documents with sidecars that the backend refuses, cancelled, and then kept, discarded and given back.
  case sidecarsCancelled
  /// A group of files, one of which fails once.
  case group
  /// A group that is archived in the same file system.
  case groupArchived
  /// The same in another one.
  case groupArchivedElsewhere
  /// A group that is written to after its upload.
  case groupRewritten
  /// Groups that the backend refuses, cancelled in each way, and then kept, discarded and given back.
  case groupsCancelled
  /// A storage that is unavailable for a moment.
  case unavailable
  /// A pause and its end.
  case pause
  /// A spool that comes by a reload.
  case reload
  /// Jobs that leave the ledger as soon as they are done.
  case history
  /// A shared spool that another host held before, with a claim that it left; a job in it is aborted and retried.
  case shared

  /// The scenario that reaches a failpoint; nil for those of the fleet's agent, which `FleetAnswerTests` kills. No default: a
  /// new failpoint needs one.
  init?(reaching point: Failpoint) {
    let scenario: CrashScenario? =
      switch point {
      case .ledgerMigrated, .ledgerRecovering, .ledgerRecovered, .spoolPrepared, .trialMade, .trialClaimed,
        .recoveryBegun, .recoveryIdentified, .recoveryAdmitted, .recoveryDisposing, .recoveryDone, .started,
        .ledgerCommitting, .ledgerCommitted, .claimBegun, .claimPlaceMade, .claimRenamed, .claimSyncing,
        .claimPlacesSynced, .claimTargetSynced, .claimSynced, .adoptRenamed, .adoptSynced, .admissionCommitting,
        .admissionCommitted, .attemptBegun, .linkCommitting, .linkCommitted, .receiptCommitting, .receiptCommitted,
        .failureCommitting, .failureCommitted, .putSending, .putAnswered, .headSending, .headAnswered,
        .registerSending, .registerAnswered, .disposing, .fileRemoved, .disposed, .disposalCommitting, .draining,
        .drained, .ledgerClosed:
        .plain
      case .createSending, .createAnswered, .uploadCommitted, .partSending, .partAnswered, .listingSending,
        .listingAnswered, .completeSending, .completeAnswered:
        .parts
      case .abortSending, .abortAnswered: .partsCancelled
      case .archiveTried, .archiveFolderMade, .archiveRenamed: .archive
      case .copyMade, .copySyncing, .copySynced, .archiveMarking, .archiveMarked, .archivePlaced, .archiveSynced,
        .archiveSourceRemoved, .archiveMarkRemoved:
        .archiveElsewhere
      case .groupListed, .memberStoring, .memberStored, .memberRemoved: .group
      case .sidecarShelfMade, .sidecarRenamed, .sidecarsSynced, .sidecarPutBack, .sidecarLinked, .sidecarRemoved:
        .sidecars
      case .sidecarArchived: .sidecarsArchived
      case .sidecarReleased: .sidecarsCancelled
      case .readmissionRenamed, .readmissionSynced, .readmissionCommitted: .rewritten
      case .cancelCommitted, .discardCommitted, .releaseCommitted, .releasePlaced, .releaseSynced, .releasedCommitted,
        .cleanupBegun, .cleanupCommitting, .cleanupCommitted, .deleteSending, .deleteAnswered, .recoveryPlaced,
        .recoveryReleased:
        .cancelled
      case .releaseFailing: .releaseRefused
      case .gateCommitting, .answerCommitted: .unavailable
      case .pauseCommitting, .pauseCommitted, .resumeCommitting, .resumeCommitted: .pause
      case .reloadRead, .reloadReplaced, .reloadRecovered, .reloadAsked: .reload
      case .holderNamed, .holderSynced, .tookOver, .movedAway, .recordsSwept, .holdCommitted, .recordWritten,
        .recordNamed, .recordSynced, .stopWritten, .stopNamed, .stopSynced, .stopRemoved:
        .shared
      case .historySynced, .historyCommitting, .historyCommitted: .history
      case .agentCommandsRead, .agentCarriedOut, .agentOutcomesWriting, .agentOutcomesWritten, .agentBatchCommitting,
        .agentBatchCommitted:
        nil
      }
    guard let scenario else { return nil }
    self = scenario
  }

  /// What goes wrong at the far side meanwhile.
  var faults: JSONValue? {
    switch self {
    case .group: ["upload": ["statuses": [200, 500]]]
    case .plain: ["upload": ["statuses": [500]]]
    case .parts: ["part": ["statuses": [200, 500]]]
    case .partsCancelled: ["part": ["status": 422]]
    case .rewritten: ["register": ["status": 422]]
    case .cancelled, .releaseRefused, .sidecarsCancelled, .groupsCancelled, .groupRewritten:
      ["register": ["status": 422]]
    case .unavailable, .shared: ["upload": ["statuses": [503], "retry_after": 1]]
    case .archive, .archiveElsewhere, .pause, .reload, .history, .sidecars, .sidecarsArchived,
      .sidecarsArchivedElsewhere, .groupArchived, .groupArchivedElsewhere:
      nil
    }
  }
}

extension Failpoint {
  /// Where the daemon has to die before, so that the start that follows comes by this point.
  var precededBy: Failpoint? {
    switch self {
    case .recoveryIdentified, .recoveryAdmitted: .claimSynced
    case .recoveryPlaced, .recoveryReleased: .releaseCommitted
    case .sidecarPutBack: .sidecarsSynced
    default: nil
    }
  }
}
