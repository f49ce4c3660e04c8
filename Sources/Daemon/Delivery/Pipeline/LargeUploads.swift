package import ControlAPI
import HTTPTransfer
import Jobs
import Synchronization

/// The uploads in flight of files that take a while, with the progress of each. Small ones end before anybody looks.
package final class LargeUploads: Sendable {
  private struct Upload: Sendable {
    let job: Job
    let sent: SentBytes
  }

  private let uploads = Mutex<[JobNumber: Upload]>([:])

  /// Keeps a large file's progress until ``end(_:)``; returns nil for other files.
  func begin(_ job: Job) -> SentBytes? {
    guard job.isLargeUpload else { return nil }
    let sent = SentBytes()
    uploads.withLock { $0[job.number] = Upload(job: job, sent: sent) }
    return sent
  }

  /// Forgets a large file's progress.
  func end(_ job: Job) { if job.isLargeUpload { uploads.withLock { $0[job.number] = nil } } }

  /// The uploads and their progress, the oldest job first.
  package var messages: [StatusMessage.Transfer] {
    uploads.withLock { Array($0.values) }.sorted { $0.job.number < $1.job.number }.map { upload in
      StatusMessage.Transfer(
        job: upload.job.number.rawValue, spool: upload.job.ticket.spool, name: upload.job.ticket.name.text,
        size: upload.job.identity.size, sent: min(max(0, upload.sent.value), upload.job.identity.size),
        since: MessageTime(upload.job.attemptStartedAt ?? upload.job.updatedAt))
    }
  }
}
