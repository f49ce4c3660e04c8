import Jobs
import Messages
import ObjectStorage
import Spool

/// Attempts on files that stay where they are: the medium may be taken out at any time.
extension Stages {
  /// The code of the failure of a job whose medium is not there. When the medium is back, these jobs are due at once.
  static let awayCode = "in-place-away"
  /// The time until a job is tried again that met this for the first time: the medium may have come back while the attempt ended.
  static let firstPauseWhileAway = Duration.seconds(30)
  /// The time until it is tried again after that. It costs one look, and no delay is spent.
  static let pauseWhileAway = Duration.seconds(900)
  /// The time from a job's admission after which a person is asked about a medium that is not there: it may never come back.
  static let patienceInPlace = Duration.seconds(7 * 86_400)

  /// Returns the result of an attempt whose file could not be read because its medium is not there; nil if that is not the reason.
  func awayInPlace(_ failure: Failure, _ job: Job, _ part: SpoolPart) async -> AttemptResult? {
    guard failure.kind == .file, part.options.keepsFiles else { return nil }
    let (directory, identity) = (part.directory, job.identity)
    // A file that was claimed under another `after` is missed only if the directory is there.
    guard job.ticket.parcel == .inPlace || !directory.status.isPresent else { return nil }
    // Ignored: these threads throw for a shared spool alone.
    guard (try? await part.threads.run { directory.isAway(identity) }) ?? false else { return nil }
    let away = Failure(.file, .inPlaceAway(name: job.ticket.name.shown), code: Self.awayCode)
    let isPatient = clock.now() - job.ticket.createdAt < Self.patienceInPlace
    guard isPatient else { return .failed(away, .ask) }
    let isKnown = job.failure?.code == Self.awayCode
    return .failed(away, .wait(after: isKnown ? Self.pauseWhileAway : Self.firstPauseWhileAway))
  }
}
