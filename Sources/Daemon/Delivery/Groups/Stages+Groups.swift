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
    _ job: Job, _ group: Parcel.Group, isProbe: Bool, _ ledger: JobLedger,
    _ storage: ConfiguredStage<S3Bucket>, _ part: SpoolPart, _ backend: ConfiguredStage<Backend>
  ) async -> AttemptResult {
    let ticket = job.ticket
    do {
      try await inheritMembers(of: job, ledger, part)
    } catch {
      return refused(error, part)
    }
    let result = await activity.track(.upload) { await self.stored(job, group, isProbe, ledger, storage, part) }
    switch result {
    case .success(let (receipt, list, link)):
      let document = StoredDocument(
        job: job.number, ticket: ticket, identity: job.identity, link: link,
        receipt: receipt, offset: offset(of: job), files: list)
      let link = self.link(to: document, of: job, at: backend)
      return part.directory.isShared ? await published(link, of: job, ledger, part) : .uploaded(link)
    case .failure(.failed(let failure)):
      // A file may be gone because another host is done with the group: nothing has to be asked then.
      if failure.kind == .file { guard await isHeld(part) else { return .cut } }
      return .failed(failure, verdict(failure, job, storage.retry, of: part))
    case .failure(.corrupted(let failure)):
      return .changed(failure, verdict(failure, job, storage.retry, of: part), now: job.identity)
    case .failure(.cut): return .cut
    }
  }

  private func stored(
    _ job: Job, _ group: Parcel.Group, _ isProbe: Bool, _ ledger: JobLedger, _ storage: ConfiguredStage<S3Bucket>,
    _ part: SpoolPart
  ) async -> Result<(UploadReceipt, GroupList, String), GroupUpload.End> {
    await activity.largeUploads.track(job) { sent -> Result<(UploadReceipt, GroupList, String), GroupUpload.End> in
      let upload = GroupUpload(
        job: job, group: group, bucket: storage.stage, part: part, types: types, ledger: ledger,
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

  func hasMembers(_ cleanup: Cleanup, _ ledger: JobLedger) async throws -> Bool {
    try await !ledger.members(of: cleanup.job).isEmpty
  }

  /// The number of refusals in a row after which the rest of a group is not tried.
  private static let mostRefusals = 16

  /// One try of what a group owes at its storage: each of its objects in turn. A refused one does not keep the others. What is
  /// gone, or may be for all that a refusal says, is noted before anything is returned: a retry sends it again, after a look.
  func clearGroup(
    _ cleanup: Cleanup, _ storage: ConfiguredStage<S3Bucket>, _ part: SpoolPart?, _ ledger: JobLedger
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
        // Another host may have taken over meanwhile, and its objects have the same id.
        if let part, part.directory.isShared, await !isHeld(part) {
          end = .cut
          continue
        }
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
