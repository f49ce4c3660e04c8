import Foundation
import Jobs
import MessageLiterals
import SQLite
import Testing

@testable import Ledger

/// Jobs that a lost ledger had stopped, against whatever the one in its place says of the same job.
@Suite struct StoppedJobsTests {
  private static let anna = Caller(uid: 1000, user: "anna")
  private static let states: [JobState] = JobState.allCases.filter { $0 != .active }

  private static func bring(_ admission: Admission, to state: JobState, in ledger: JobLedger) async throws {
    func end(_ result: AttemptResult) async throws {
      let job = try #require(try await ledger.beginDue(upTo: 1, in: both).first)
      _ = try await ledger.finish(job, result, thenTakeIn: nil)
    }
    func no() async throws {
      _ = try await ledger.carryOut(.cancel(), on: .id(admission.id), by: anna)
    }
    _ = try await ledger.admit([admission])
    switch state {
    case .queued, .active: break
    case .deferred: try await end(.failed(Failure(.transient, "HTTP 500", status: 500), .retry(after: .seconds(600))))
    case .awaitingConfirmation: try await end(.failed(Failure(.rejected, "HTTP 422: no", status: 422), .ask))
    case .awaitingCredentials: try await end(.failed(Failure(.credentials, "HTTP 401", status: 401), .awaitCredentials))
    case .awaitingNetwork: try await end(.failed(Failure(.network, "no route"), .awaitNetwork))
    case .registered:
      try await end(.uploaded(.sample))
      try await end(.registered(.sample))
    case .skipped:
      try await end(.recognized(Recognized(job: JobNumber(rawValue: 1), sha256: "00")))
    case .aborted: try await end(.failed(Failure(.unavailable, "HTTP 503", status: 503), .abort))
    case .cancelled: try await no()
    case .discarded:
      try await no()
      _ = try await ledger.carryOut(.discard, on: .id(admission.id), by: anna)
    }
  }

  private static func ledger(_ admission: Admission, _ state: JobState, in box: LedgerBox) async throws {
    let ledger = try box.open()
    try await bring(admission, to: state, in: ledger)
    _ = try await ledger.finishRecovery(by: .recovery)
    _ = try await ledger.resume(.recovered, by: anna)
    try ledger.close()
  }

  private static func restore(_ before: LedgerBox, in box: LedgerBox) throws {
    try LedgerBackup.make(ofLedgerIn: before.directory, to: before.directory + "/backup")
    _ = try LedgerBackup.restore(before.directory + "/backup", ofLedgerIn: box.directory, now: box.time.now)
  }

  private static func expected(lost: JobState, restored: JobState) -> JobState {
    switch (lost, restored) {
    case (_, .registered), (_, .skipped), (_, .cancelled), (_, .discarded): restored
    case (.aborted, .aborted): .aborted
    case (.aborted, _), (.cancelled, _), (.discarded, _): .cancelled
    case (.awaitingConfirmation, .aborted): .aborted
    case (.awaitingConfirmation, _): .awaitingConfirmation
    case (_, _): restored
    }
  }

  @Test(arguments: states) func everyStatePairIsReconciled(_ lost: JobState) async throws {
    for restored in Self.states {
      let job = Admission.sample("a.pdf")
      let (before, box) = (try LedgerBox(), try LedgerBox())
      try await Self.ledger(job, restored, in: before)
      try await Self.ledger(job, lost, in: box)
      try Self.restore(before, in: box)

      for _ in 1...2 {  // also where the first start came to no end
        try await box.run { ledger in
          #expect(ledger.mayHaveForgotten)
          try await ledger.stopAgain(by: .recovery)
        }
      }
      let moves = try await {
        let ledger = try box.open()
        try await ledger.stopAgain(by: .recovery)
        let held = try await ledger.finishRecovery(by: .recovery)
        let found = try #require(try await ledger.job(.id(job.id)))
        #expect(found.state == Self.expected(lost: lost, restored: restored), "lost \(lost), restored \(restored)")
        let moves = [.queued, .deferred, .awaitingCredentials, .awaitingNetwork].contains(found.state)
        #expect(held == (moves ? 1 : 0) && ledger.counts.isPaused(.recovered) == moves)
        #expect(try await ledger.beginDue(upTo: 1, in: both).isEmpty, "lost \(lost), restored \(restored)")
        try ledger.close()
        return moves
      }()
      let again = try box.open()
      #expect(!again.mayHaveForgotten && again.counts.isPaused(.recovered) == moves, "it holds through a restart")
      #expect(try await again.resume(.recovered, by: Self.anna) == moves)
      try again.close()
    }
  }

  /// A removal that was owed when the backup was made may be of an object that is registered by now.
  @Test(arguments: [JobState.cancelled, .registered]) func restoreDropsUncertainRemovals(_ lost: JobState) async throws
  {
    let job = Admission.sample("a.pdf")
    let (before, box) = (try LedgerBox(), try LedgerBox())
    try await before.run { ledger in
      _ = try await ledger.admit([job])
      let begun = try #require(try await ledger.beginDue(upTo: 1, in: both).first)
      _ = try await ledger.finish(begun, .uploaded(.sample), thenTakeIn: nil)
      _ = try await ledger.carryOut(.cancel(remove: true), on: .id(job.id), by: Self.anna)
    }
    try await Self.ledger(job, lost, in: box)
    try Self.restore(before, in: box)

    let restored = try box.open()
    try await restored.stopAgain(by: .recovery)
    _ = try await restored.finishRecovery(by: .recovery)
    let number = try #require(try await restored.job(.id(job.id))?.number)
    #expect(try await restored.cleanup(of: number)?.aim == (lost == .cancelled ? .remove : .look))
  }

  @Test func lostPausesSurviveRestore() async throws {
    let (before, box) = (try LedgerBox(), try LedgerBox())
    try await Self.ledger(.sample("a.pdf"), .queued, in: before)
    try await box.run { lost in
      _ = try await lost.pause(.destination(.storage("main")), by: Self.anna)
    }
    try Self.restore(before, in: box)
    let ledger = try box.open()
    _ = try await ledger.finishRecovery(by: .recovery)
    #expect(Set(ledger.counts.pauses.map(\.target)) == [.destination(.storage("main")), .recovered])
  }
}
