import ChildProcesses
import Failpoints
import Foundation
import Testing

@testable import Harness

/// The daemon is killed at each of its failpoints, and started again. Whatever the point: no file is lost, none is
/// registered twice, none goes before its receipt, and nothing is left behind here or at the far side.
@Suite(.slot, .needs(.failpoints))
struct CrashTests {
  @Test(arguments: Failpoint.ofDaemon)
  func aKillLosesNothing(point: Failpoint) async throws {
    try await withCrashes(try #require(CrashScenario(reaching: point))) { run in
      if let first = point.precededBy { try await run.die(at: first) }
      try await run.die(at: point)
      // the start that follows may come by the same point, and dies there again
      let second = try await run.live(until: point)
      guard case .died = second else { return #expect(second == .well) }
      try await run.expectNoLoss()
      try await run.expectWell()
    }
  }

  /// The points between two facts about a document's file, met by documents with sidecars: the two files stay together.
  static let ofPairs: [(Failpoint, CrashScenario)] =
    ([
      .recoveryBegun, .recoveryIdentified, .recoveryAdmitted, .recoveryDisposing, .claimBegun, .claimPlaceMade,
      .claimRenamed, .claimSyncing, .claimPlacesSynced, .claimTargetSynced, .claimSynced, .adoptRenamed, .adoptSynced,
      .admissionCommitting, .admissionCommitted, .linkCommitted, .receiptCommitted, .disposing, .fileRemoved, .disposed,
      .disposalCommitting,
    ] as [Failpoint]).map { ($0, .sidecars) }
    + ([.archiveRenamed, .archiveFolderMade, .sidecarRemoved] as [Failpoint]).map { ($0, .sidecarsArchived) }
    + ([
      .copyMade, .copySyncing, .copySynced, .archiveMarked, .archivePlaced, .archiveSynced, .archiveSourceRemoved,
      .archiveMarkRemoved, .sidecarArchived, .sidecarRemoved,
    ] as [Failpoint]).map { ($0, .sidecarsArchivedElsewhere) }
    + ([
      .cancelCommitted, .discardCommitted, .fileRemoved, .sidecarRemoved, .releaseCommitted, .releasePlaced,
      .releaseSynced, .releasedCommitted, .recoveryPlaced, .recoveryReleased,
    ] as [Failpoint]).map { ($0, .sidecarsCancelled) }

  @Test(arguments: ofPairs)
  func aKillPartsNoDocumentFromItsSidecar(point: Failpoint, scenario: CrashScenario) async throws {
    for turn in [1, 2] {
      try await withCrashes(scenario) { run in
        if let first = point.precededBy { try await run.die(at: first) }
        let end = try await run.live(until: point, turn: turn)
        guard case .died = end else { return #expect(turn > 1 && end == .well) }
        try await run.expectNoLoss()
        try await run.expectWell()
      }
    }
  }

  /// The points between two facts about a group: its files stay one unit.
  static let ofGroups: [(Failpoint, CrashScenario)] =
    ([
      .recoveryBegun, .recoveryIdentified, .recoveryAdmitted, .recoveryDisposing, .claimBegun, .claimRenamed,
      .claimSyncing, .claimTargetSynced, .claimSynced, .admissionCommitting, .admissionCommitted, .attemptBegun,
      .groupListed, .memberStoring, .memberStored, .putSending, .putAnswered, .linkCommitting, .linkCommitted,
      .registerSending, .registerAnswered, .receiptCommitting, .receiptCommitted, .disposing, .memberRemoved,
      .fileRemoved, .disposed, .disposalCommitting,
    ] as [Failpoint]).map { ($0, .group) }
    + ([.disposing, .archiveRenamed, .disposed, .disposalCommitting] as [Failpoint]).map { ($0, .groupArchived) }
    + ([
      .disposing, .copyMade, .copySyncing, .copySynced, .archiveMarking, .archiveMarked, .archivePlaced, .archiveSynced,
      .memberRemoved, .fileRemoved, .archiveSourceRemoved, .archiveMarkRemoved, .disposed,
    ] as [Failpoint]).map { ($0, .groupArchivedElsewhere) }
    + ([.readmissionRenamed, .readmissionSynced, .readmissionCommitted] as [Failpoint]).map { ($0, .groupRewritten) }
    + ([
      .cancelCommitted, .cleanupBegun, .headAnswered, .deleteSending, .deleteAnswered, .cleanupCommitting,
      .cleanupCommitted, .discardCommitted, .memberRemoved, .fileRemoved, .releaseCommitted, .copyMade, .copySyncing,
      .copySynced, .releasePlaced, .releaseSynced, .releasedCommitted, .recoveryPlaced, .recoveryReleased,
    ] as [Failpoint]).map { ($0, .groupsCancelled) }

  @Test(arguments: ofGroups)
  func aKillPartsNoGroup(point: Failpoint, scenario: CrashScenario) async throws {
    for turn in [1, 3] {
      try await withCrashes(scenario) { run in
        if let first = point.precededBy { try await run.die(at: first) }
        let end = try await run.live(until: point, turn: turn)
        guard case .died = end else { return #expect(turn > 1 && end == .well) }
        try await run.expectNoLoss()
        try await run.expectWell()
      }
    }
  }

  /// Each of the first commits of a busy life, before and after.
  @Test(arguments: [Failpoint.ledgerCommitting, .ledgerCommitted], [2, 4, 6, 8, 10])
  func aKillAtAnyCommitLosesNothing(point: Failpoint, turn: Int) async throws {
    try await withCrashes(.cancelled) { run in
      try await run.die(at: point, turn: turn)
      try await run.expectWell()
    }
  }
}
