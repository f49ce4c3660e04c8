import Credentials
import Jobs
import Linux
import ObjectStorage
import Registration
import Spool
import Ledger

/// Groups: many objects, one registration.
extension Stages {
  func uploadGroup(
    _ job: Job, isProbe: Bool, _ ledger: JobLedger,
    _ storage: ConfiguredStage<S3Bucket>, _ part: SpoolPart, _ backend: ConfiguredStage<Backend>
  ) async -> AttemptResult {
    let ticket = job.ticket
    switch await stored(job, isProbe, ledger, storage, part) {
    case .success(let (receipt, list, link)):
      let document = StoredDocument(
        job: job.number, ticket: ticket, identity: job.identity, link: link,
        receipt: receipt, offset: offset(of: job), files: list)
      return .uploaded(self.link(to: document, of: job, at: backend))
    case .failure(.failed(let failure)):
      return .failed(failure, verdict(failure, job, storage.retry, of: part))
    case .failure(.corrupted(let failure)):
      return .changed(failure, verdict(failure, job, storage.retry, of: part), now: job.identity)
    case .failure(.cut): return .cut
    }
  }

  private func stored(
    _ job: Job, _ isProbe: Bool, _ ledger: JobLedger, _ storage: ConfiguredStage<S3Bucket>,
    _ part: SpoolPart
  ) async -> Result<(UploadReceipt, GroupList, String), GroupUpload.End> {
    let sent = activity.largeUploads.begin(job)
    activity.begin(.upload)
    defer {
      activity.end(.upload)
      if sent != nil { activity.largeUploads.end(job) }
    }
    let upload = GroupUpload(
      job: job, bucket: storage.stage, part: part, workers: workers, types: types, ledger: ledger,
      isProbe: isProbe, sent: sent,
      facts: storage.stage.templates.isEmpty ? nil : facts(of: job))
    do throws(GroupUpload.End) {
      try await upload.run()
      let links = try await objectLinks(storage, part)
      let ticket = job.ticket
      let facts = facts(of: job)
      let list = try await upload.list { links.link(bucket: ticket.bucket, key: $0, facts: facts) }
      return .success(
        (
          UploadReceipt(
            bucket: ticket.bucket, key: ticket.key, size: job.identity.size, etag: nil, version: nil, sha256: nil,
            checksum: nil, contentType: ticket.contentType, uploadedAt: clock.now()), list,
          links.link(toGroup: ticket.key, bucket: ticket.bucket, facts: facts)
        ))
    } catch {
      return .failure(error)
    }
  }

  private func objectLinks(
    _ storage: ConfiguredStage<S3Bucket>, _ part: SpoolPart
  ) async throws(GroupUpload.End) -> ObjectLinks {
    do throws(CredentialError) {
      return try await storage.stage.links(part.link)
    } catch {
      throw .failed(Failure(.credentials, error.reason, mayHaveActed: true))
    }
  }

  /// Lists in the ledger what a stopped group may have at its storage, if the ledger that listed its files was lost: those in its directory.
  ///
  /// - Throws: `FileError` if the directory cannot be read, and the ledger's error.
  func listRemote(of job: Job, _ ledger: JobLedger, _ part: SpoolPart) async throws {
    let (directory, claim) = (part.directory, job.ticket.claim)
    guard claim.parcel.group != nil, try await ledger.members(of: job.number).isEmpty else { return }
    do {
      let pages = try await workers.run { try directory.held().groupPages(claim) }
      while true {
        let page = try await workers.run { try pages.next(upTo: JobLedger.memberPage) }
        guard !page.isEmpty else { return }
        try await ledger.list(page.filter { !$0.isMarker }.map { ($0.path, $0.identity) }, of: job.number)
      }
    } catch let error as FileError {
      // A group that is gone has nothing to list.
      guard error.isOfSomethingGone || error.isOfNoGroup else { throw error }
    }
  }

  /// The number of refusals in a row after which the rest of a group is not tried.
  private static let mostRefusals = 16

  /// One try of what a group owes at its storage: each of its objects in turn. A refused one does not keep the others. What is
  /// gone, or may be for all that a refusal says, is noted before anything is returned: a retry sends it again, after a look.
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
        // One that is there is enough to tell, unless an upload in parts may be open of which nobody has heard.
        if cleanup.aim != .remove, found, member.multipart == nil, cleanup.uploadUnheardAt == nil { continue }
        let object = ObjectToClear(
          id: cleanup.id, bucket: cleanup.bucket, key: GroupKey.key(of: member.path, in: cleanup.key),
          aim: cleanup.aim, version: member.receipt?.version, uploadID: member.multipart?.id,
          mayHaveUploads: cleanup.uploadUnheardAt != nil)
        let cleared = await storage.stage.clear(object)
        if case .success = cleared { refusals = 0 }
        switch cleared {
        case .success(.absent): gone.append(member.path)
        case .success(.removed):
          removed = true
          gone.append(member.path)
        case .success(.left): found = true
        case .failure(.refused(let failure)):
          if cleanup.aim == .remove { gone.append(member.path) }
          refusal = refusal ?? failure
          refusals += 1
          if refusals == Self.mostRefusals { end = .refused(failure) }
        case .failure(.failed(let failure)):
          end = .failed(failure, verdict(failure, RetrySchedule(), storage.retry, settle: .zero))
        case .failure(.cut): end = .cut
        }
      }
      try await ledger.unstore(gone, cleanup.job)
      if let end { return end }
    }
    if let refusal { return .refused(refusal) }
    return found ? .left : removed ? .removed : .absent
  }
}
