import HTTPTransfer
import Jobs
import Linux
import Messages
import Spool
import Ledger

/// The parts of attempts that a shared spool adds: the hold is confirmed first, and the link stands beside the file before the
/// ledger has it.
extension Stages {
  /// Returns true if this host may work in a spool now. It asks the file system, at most once a second.
  func isHeld(_ part: SpoolPart) async -> Bool {
    await part.threads.isHeld(part.directory, on: machine)
  }

  /// Returns the end of an upload whose link stands beside the file already; nil if none does.
  func standing(beside job: Job, _ part: SpoolPart) async -> AttemptResult? {
    let id = job.ticket.id
    do {
      guard let record = try await part.threads.run({ try part.directory.storedRecord(id) }) else { return nil }
      return uploaded(record, of: job)
    } catch {
      return refused(error, part)
    }
  }

  /// Writes a link beside its file, and returns the end of the upload: with the link that stands there now.
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

  /// The link must be of the bytes that the file has. Others could be there only if somebody wrote to the claimed file between
  /// the uploads of two hosts.
  private func uploaded(_ record: StoredRecord, of job: Job) -> AttemptResult {
    guard record.identity.mayHoldBytes(of: job.identity) else {
      return .failed(
        Failure(.file, "another host has uploaded other bytes of this file: release it, and drop it again"), .ask)
    }
    return .uploaded(record.stored)
  }

  /// An error that may pass is no question: the attempt is made again, as often as it takes. The object may be stored.
  func refused(_ error: any Error, _ part: SpoolPart) -> AttemptResult {
    guard part.directory.isHeld else { return .cut }
    guard let error = error as? FileError else { return .failed(Failure(.file, "\(error)", mayHaveActed: true), .ask) }
    return .failed(
      Failure(.file, error.message, code: error.code, mayHaveActed: true),
      error.mayPass ? .wait(after: Self.recordPause) : .ask)
  }

  /// The pause after an error that may pass.
  private static let recordPause = Duration.seconds(5)
}
