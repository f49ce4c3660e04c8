import Jobs
import Messages
import ObjectStorage
import Spool

/// Attempts on files that stay where they are: the medium may be taken out at any time.
extension Stages {
  /// The time until a job is tried again whose medium is gone. The spool's run notices that at once, and then holds its jobs.
  static let pauseWhileGone = Duration.seconds(30)
  /// The time until a job is tried again in whose medium's place another one is.
  static let pauseWhileReplaced = Duration.seconds(900)
  /// The time from a job's admission after which a person is asked about a medium that is not there: it may never come back.
  static let patienceInPlace = Duration.seconds(7 * 86_400)

  /// Returns the result of an attempt whose file could not be read because its medium is not there; nil if that is not the reason.
  func awayInPlace(_ failure: Failure, _ job: Job, _ part: SpoolPart) async -> AttemptResult? {
    guard failure.kind == .file, job.ticket.parcel == .inPlace else { return nil }
    let (directory, identity) = (part.directory, job.identity)
    // Ignored: these threads throw for a shared spool alone.
    guard let absence = (try? await part.threads.run { directory.absence(of: identity) }) ?? nil else { return nil }
    let away = Failure(.file, .inPlaceAway(name: job.ticket.name.shown), code: "in-place-away")
    let isPatient = clock.now() - job.ticket.createdAt < Self.patienceInPlace
    guard isPatient else { return .failed(away, .ask) }
    return .failed(away, .wait(after: absence == .gone ? Self.pauseWhileGone : Self.pauseWhileReplaced))
  }
}
