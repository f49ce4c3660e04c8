import Jobs
import Linux
import ObjectStorage
import Registration
import Spool
import Ledger

/// Groups: many objects, one registration.
extension Stages {
  /// Stores the files of a group, which count as active meanwhile, and makes the link to it.
  func uploadGroup(
    _ job: Job, isProbe: Bool, _ ledger: JobLedger,
    _ storage: ConfiguredStage<S3Bucket>, _ part: SpoolPart, _ backend: ConfiguredStage<Backend>
  ) async -> AttemptResult {
    let ticket = job.ticket
    var object = object(of: job, key: ticket.key, at: storage, in: part)
    object.isProbe = isProbe
    object.sent = activity.largeUploads.begin(job)
    activity.begin(.upload)
    defer {
      activity.end(.upload)
      if object.sent != nil { activity.largeUploads.end(job) }
    }
    let upload = GroupUpload(
      job: job, bucket: storage.stage, part: part, workers: workers, types: types, ledger: ledger,
      object: object)
    do throws(UploadFailure) {
      try await upload.run()
      let links = try await storage.stage.links(part.link)
      let facts = facts(of: job)
      let files = try await upload.list { links.link(bucket: ticket.bucket, key: $0, facts: facts) }
      let receipt = UploadReceipt(
        bucket: ticket.bucket, key: ticket.key, size: job.identity.size, etag: nil, version: nil, sha256: nil,
        checksum: nil, contentType: ticket.contentType, uploadedAt: clock.now())
      var document = document(
        of: job, link: links.link(toGroup: ticket.key, bucket: ticket.bucket, facts: facts), receipt, sidecar: nil)
      document.files = files
      return .uploaded(link(to: document, of: job, at: backend))
    } catch {
      return await result(of: error, of: job, at: storage, in: part)
    }
  }

  /// After a loss of the ledger, lists the files in the directory of a stopped group, whose objects may be at its storage.
  ///
  /// - Throws: `FileError` if the directory cannot be read, and the ledger's error.
  func listRemote(of job: Job, _ ledger: JobLedger, _ part: SpoolPart) async throws {
    guard job.ticket.parcel.group != nil, try await ledger.members(of: job.number).isEmpty else { return }
    do {
      try await GroupUpload.list(job, part, ledger, on: workers)
    } catch let error as FileError {
      // A group that is gone has nothing to list.
      guard error.isOfSomethingGone || error.isOfNoGroup else { throw error }
    }
  }

  /// The number of refusals in a row after which the rest of a group is not tried.
  private static let mostRefusals = 16

  /// One try of a group's cleanup at its storage: each object in turn. A refusal does not stop the others. Files whose object is gone,
  /// or may be, are noted first: a retry looks for the object and sends the file again.
  func clearGroup(
    _ cleanup: Cleanup, _ storage: ConfiguredStage<S3Bucket>, _ ledger: JobLedger
  ) async throws -> CleanupResult {
    var after: FileName?
    var (found, removed) = (false, false)
    var (refusal, refusals): (Failure?, Int) = (nil, 0)
    while true {
      let page = try await ledger.members(of: cleanup.job, after: after)
      guard let last = page.last else { break }
      after = last.path
      var gone: [FileName] = []
      var end: CleanupResult?
      for member in page where end == nil {
        // One object is enough for the report, unless an unknown upload in parts may be open.
        if cleanup.aim != .remove, found, member.multipart == nil, cleanup.uploadUnheardAt == nil { continue }
        let object = cleanup.ofMember(
          key: GroupKey.key(of: member.path, in: cleanup.key), version: member.receipt?.version,
          uploadID: member.multipart?.id)
        let cleared = await storage.stage.clear(object) {
          verdict($0, RetrySchedule(), storage.retry, settle: .zero)
        }
        switch cleared {
        case .absent, .removed:
          refusals = 0
          removed = removed || cleared == .removed
          gone.append(member.path)
        case .left: (found, refusals) = (true, 0)
        case .refused(let failure):
          if cleanup.aim == .remove { gone.append(member.path) }
          refusal = refusal ?? failure
          refusals += 1
          if refusals == Self.mostRefusals { end = .refused(failure) }
        case .failed, .cut: end = cleared
        }
      }
      try await ledger.unstore(gone, cleanup.job)
      if let end { return end }
    }
    if let refusal { return .refused(refusal) }
    return found ? .left : removed ? .removed : .absent
  }
}
