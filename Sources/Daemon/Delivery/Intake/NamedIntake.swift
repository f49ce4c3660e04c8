import Jobs
import Spool
import Ledger
import Reports
import Settings

/// The intake of one spool: the files that the spool claims become jobs, its problems events.
struct NamedIntake: SpoolIntake {
  let intake: Intake
  let spool: String
  let unwatched: Unwatched

  func room() async -> Int { await intake.room.wait(spool) }

  func stopWaiting() { intake.room.stopWaiting(spool) }

  func isFree(_ id: JobID) async -> Bool {
    do {
      return try await intake.ledger.isFree(id, history: intake.stages.configuration.daemon.history)
    } catch {
      intake.recovery.journal.error("the id that a file asks for is not used: \(error)")
      return false
    }
  }

  func admit(_ claims: [Claim]) async throws {
    try await intake.pipeline.admit(intake.stages.prepareAdmissions(of: claims, in: spool))
  }

  func adopt(_ claims: [Claim]) async throws { try await intake.recovery.adopt(claims, of: spool) }

  func adoptedAll() async throws { try await intake.recovery.complete(spool) }

  func isWatched() { unwatched.remove(spool) }

  func report(_ problem: SpoolProblem) { intake.stages.trouble.report(problem) }

  func reportEnd(of cause: SpoolProblem.Cause, _ code: Int32?) {
    intake.stages.trouble.reportEnd(of: cause, code, in: spool)
  }

  func begin(_ source: KeptSource) async throws -> String {
    let stages = intake.stages
    let configured = Set(stages.spools.filter { $0.value.options.keepsFiles }.keys)
    // Without its part the spool has left the configuration, and this run ends.
    guard let route = stages.parts[spool]?.route else { return intake.ledger.identity.uuid }
    let ledger = try await intake.ledger.begin(source, of: spool, route) { configured.contains($0) }
    try await intake.ledger.makeDueWithMedium(of: spool)
    intake.pipeline.wake()
    return ledger
  }

  func standing(of files: [KeptFile]) async throws -> [KeptStanding] {
    guard let part = intake.stages.parts[spool] else { return files.map { _ in .new } }
    return try await intake.ledger.standing(of: files, in: spool, part.route, options: part.options)
  }

  func scannedAll() async throws {
    guard let part = intake.stages.parts[spool] else { return }
    try await intake.ledger.forgetAbsentFiles(of: spool, part.route, most: part.options.keepFiles)
  }

  func withoutJob(_ ids: [JobID]) async throws -> [JobID] { try await intake.ledger.withoutJob(ids) }
}
