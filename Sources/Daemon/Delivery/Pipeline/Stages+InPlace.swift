import Jobs
import Ledger
import Messages
import ObjectStorage
import Spool

/// Attempts on files that stay where they are: the medium may be taken out at any time.
extension Stages {
  /// The time until a job is tried again that met this for the first time: the medium may have come back while the attempt ended.
  static let firstPauseWhileAway = Duration.seconds(30)
  /// The time until it is tried again after that. It costs one look, and no delay is spent.
  static let pauseWhileAway = Duration.seconds(900)
  /// The time from a job's admission after which a person is asked about a medium that is not there: it may never come back.
  static let patienceInPlace = Duration.seconds(7 * 86_400)

  /// The time until a job is tried again while another one is about the same file.
  private static let pauseBehindNamesake = Duration.seconds(60)

  /// Returns the result of an attempt at a file that is another job's by now: that one goes first, and then the bytes tell if something is left
  /// to send.
  static func goesAfter(_ other: JobNumber, _ job: Job) -> AttemptResult {
    let words = Message.fileOfAnotherJob(job: other.rawValue, name: job.ticket.name.shown)
    return .failed(Failure(.file, words, code: "file-of-another-job"), .wait(after: pauseBehindNamesake))
  }

  /// Returns the result of an attempt whose file could not be read because its medium is not there; nil if that is not the reason.
  func awayInPlace(_ failure: Failure, _ job: Job, _ part: SpoolPart) async -> AttemptResult? {
    guard failure.kind == .file, part.options.keepsFiles else { return nil }
    let (directory, identity) = (part.directory, job.identity)
    // A file that was claimed under another `after` is missed only if the directory is there.
    guard job.ticket.parcel == .inPlace || !directory.status.isPresent else { return nil }
    // Ignored: these threads throw for a shared spool alone.
    guard (try? await part.threads.run { directory.isAway(identity) }) ?? false else { return nil }
    let away = Failure(.file, .inPlaceAway(name: job.ticket.name.shown), code: Failure.awayCode)
    let isPatient = clock.now() - job.ticket.createdAt < Self.patienceInPlace
    guard isPatient else { return .failed(away, .ask) }
    let isKnown = job.failure?.code == Failure.awayCode
    return .failed(away, .wait(after: isKnown ? Self.pauseWhileAway : Self.firstPauseWhileAway))
  }
}
