import HTTPTransfer
import Jobs
import Linux
import Messages
import Spool
import Ledger

/// The parts of attempts that a shared spool adds: the lock is confirmed first, and the link is recorded beside the file before
/// the ledger commits it.
extension Stages {
  /// Returns true if this host may work in a spool now. It asks the file system, at most once a second.
  func isHeld(_ part: SpoolPart) async -> Bool {
    await part.threads.isHeld(part.directory, on: machine)
  }

  /// Returns the result of an upload whose link is recorded beside the file already; nil if there is no record.
  func standing(beside job: Job, _ part: SpoolPart) async -> AttemptResult? {
    let id = job.ticket.id
    do {
      guard let record = try await part.threads.run({ try part.directory.storedRecord(id) }) else { return nil }
      return uploaded(record, of: job)
    } catch {
      return refused(error, part)
    }
  }

  /// Records a link beside its file, and returns the result of the upload, with the link that is recorded there: another host may
  /// have been first.
  func published(
    _ stored: StoredLink, of job: Job, _ ledger: JobLedger, _ part: SpoolPart
  ) async -> AttemptResult {
    let id = job.ticket.id
    do {
      let (record, lines) = try await Self.record(stored, of: job, ledger)
      let standing = try await part.threads.run { try part.directory.publish(record, members: lines, id) }
      if standing != record, job.ticket.parcel.group != nil {
        // Another host was first: its files are those that are registered.
        try await ledger.forgetMembers(of: job.number)
        try await inheritMembers(of: job, ledger, part)
      }
      return uploaded(standing, of: job)
    } catch {
      return refused(error, part)
    }
  }

  /// Returns the result of an upload with a recorded link. The link must be of the bytes that the file has. It can be of other
  /// bytes only if somebody wrote to the claimed file between the uploads of two hosts.
  private func uploaded(_ record: StoredRecord, of job: Job) -> AttemptResult {
    guard record.identity.mayHoldBytes(of: job.identity) else {
      return .failed(
        Failure(.file, .otherHostStored), .ask)
    }
    return .uploaded(record.stored)
  }

  /// Returns the result of an attempt that an error of the spool ended. An error that may pass asks no question: the attempt is
  /// made again until it succeeds. The object may be stored.
  func refused(_ error: any Error, _ part: SpoolPart) -> AttemptResult {
    guard part.directory.isHeld else { return .cut }
    guard let error = error as? FileError else {
      return .failed(Failure(.file, .text("\(error)"), mayHaveActed: true), .ask)
    }
    return .failed(
      Failure(.file, error.message, code: error.code, mayHaveActed: true),
      error.mayPass ? .wait(after: Self.recordPause) : .ask)
  }

  /// The pause after an error that may pass.
  private static let recordPause = Duration.seconds(5)
}
