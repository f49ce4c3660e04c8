import Jobs
import ObjectStorage
import Registration
import Spool

/// The parts of an attempt at step 1: the object, the document that is registered with it, and the result of a failure.
extension Stages {
  /// The object that an attempt stores.
  ///
  /// - Parameter sha256: the SHA-256 of its bytes, if they were read before.
  func object(
    of job: Job, key: String, sha256: String? = nil, at storage: ConfiguredStage<S3Bucket>, in part: SpoolPart
  ) -> ObjectToStore {
    let ticket = job.ticket
    var object = ObjectToStore(
      id: ticket.id, bucket: ticket.bucket, key: key, contentType: ticket.contentType,
      facts: storage.stage.templates.isEmpty ? nil : facts(of: job), metadata: ticket.objectMetadata,
      expected: job.identity, isLocal: job.attempt == 1 && part.directory.isLocal,
      open: { try part.directory.held().open(ticket.claim) })
    object.sha256 = sha256
    object.mayBeStale = job.objectMayBeStale
    object.mayBeForgotten = job.mayBeForgotten
    object.mayBeStored = job.mayBeStored
    object.multipart = job.multipart
    object.mayHaveUploads = job.attempt > 1 || job.mayBeStored
    object.since = ticket.createdAt
    return object
  }

  /// The document that is registered with a link.
  func document(of job: Job, link: String, _ receipt: UploadReceipt?, sidecar: String?) -> StoredDocument {
    StoredDocument(
      job: job.number, ticket: job.ticket, identity: job.identity, link: link, receipt: receipt, sidecar: sidecar,
      offset: offset(of: job))
  }

  /// The result of an attempt that failed at the file or at the storage.
  func result(
    of failure: UploadFailure, of job: Job, at storage: ConfiguredStage<S3Bucket>, in part: SpoolPart
  ) async -> AttemptResult {
    switch failure {
    case .failed(let failure):
      if let away = await awayInPlace(failure, job, part) { return away }
      return .failed(failure, verdict(failure, job, storage.retry, of: part))
    case .changed(let failure, let now):
      return .changed(failure, verdict(failure, job, storage.retry, settle: part.options.settle), now: now)
    case .corrupted(let failure):
      return .changed(failure, verdict(failure, job, storage.retry, of: part), now: job.identity)
    case .cut:
      return .cut
    }
  }
}
