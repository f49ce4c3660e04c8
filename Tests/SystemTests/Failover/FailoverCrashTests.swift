import ChildProcesses
import Foundation
import Linux
import Testing

@testable import Harness

/// The host that holds a shared spool dies at a named place, with one of each kind that a spool takes. Its successor ends what was begun:
/// one registration with all that belongs to it, and nothing is left in the spool.
@Suite(.slot, .needs(.failpoints)) struct FailoverCrashTests {
  struct Crash: CustomTestStringConvertible {
    let kind: FailoverKind
    let point: Failpoint
    var turn = 1
    var isArchived = false

    var testDescription: String { "\(kind) \(point):\(turn)\(isArchived ? " archived" : "")" }
  }

  /// What each kind passes.
  private static let common: [Failpoint] = [
    .claimBegun, .claimRenamed, .claimSyncing, .claimSynced, .admissionCommitted, .attemptBegun, .putAnswered,
    .recordWritten, .recordNamed, .recordSynced, .linkCommitted, .registerAnswered, .receiptCommitted, .disposing,
    .fileRemoved, .disposed,
  ]

  static let all: [Crash] =
    FailoverKind.allCases.flatMap { kind in common.map { Crash(kind: kind, point: $0) } }
    + [.sidecarRenamed, .sidecarsSynced, .sidecarRemoved].map { Crash(kind: .pair, point: $0) }
    + [.archiveRenamed, .sidecarArchived, .sidecarRemoved].map { Crash(kind: .pair, point: $0, isArchived: true) }
    + [.groupListed, .memberStoring, .memberStored].map { Crash(kind: .group, point: $0) }
    + [2, 3, 4].map { Crash(kind: .group, point: .memberRemoved, turn: $0) }
    + [
      Crash(kind: .group, point: .memberStored, turn: 3), Crash(kind: .group, point: .archiveRenamed, isArchived: true),
    ]

  @Test(arguments: all.indices.filter { Seeds.takes($0, of: 4) })
  func successorFinishesBegunWork(_ index: Int) async throws {
    let crash = Self.all[index]
    try await withHosts { setup in
      crash.kind.adjust(&setup)
      guard crash.isArchived else { return }
      let archive = setup.folder.appending(path: "archive")
      try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: true)
      setup.spoolLines += ["after = \"archive\"", "archive = \"\(archive.path)\""]
    } _: { hosts in
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      let first = try a.launch(environment: crash.point.variable(turn: crash.turn))
      try await hosts.untilHeld(by: 0)
      try crash.kind.drop(hosts.rig, "one")
      _ = try await first.end()
      #expect(Failpoint.met(by: first) == crash.point, "\(first.errorText)")
      try await b.start()
      try await hosts.untilHeld(by: 1)
      // From then on nothing moves in the spool but what leaves it.
      try await until("it to be registered") { try !hosts.sandbox.registrations().isEmpty }
      try await until("nothing to be left of it") { hosts.filesLeft().isEmpty }
      #expect(try await hosts.faults(["one"], kind: crash.kind) == [])
      #expect(try hosts.namesInClaims().allSatisfy { $0 == "sidecars" })
      if crash.isArchived {
        let archive = hosts.rig.folder.appending(path: "archive").path
        let names = try FileManager.default.contentsOfDirectory(atPath: archive).sorted()
        #expect(names == (crash.kind == .pair ? ["one", "one.json"] : ["one"]))
      }
      // The one that died comes back: it has nothing to do with it any more.
      try await a.start()
      try await until("it to stand by") { try await a.status().spools.array[0].holder.here == .bool(false) }
      try crash.kind.drop(hosts.rig, "two")
      try await b.job(named: "two", in: "registered")
      #expect(try await hosts.faults(["one", "two"], kind: crash.kind) == [])
    }
  }
}
