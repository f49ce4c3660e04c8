import Jobs
import Linux
import ObjectStorage
import Registration
import Spool
import Ledger

/// Groups: many objects, one registration.
extension Stages {
  /// Stores the files of a group. The receipt is of the group as a whole.
  @inline(never)
  func storeGroup(
    _ job: Job, _ object: ObjectToStore, _ bucket: S3Bucket, _ part: SpoolPart, _ ledger: JobLedger
  ) async -> Result<UploadReceipt, UploadFailure> {
    let ticket = job.ticket
    do throws(UploadFailure) {
      try await GroupUpload(
        job: job, bucket: bucket, part: part, workers: workers, types: types, ledger: ledger, object: object
      ).run()
    } catch {
      return .failure(error)
    }
    return .success(
      UploadReceipt(
        bucket: ticket.bucket, key: ticket.key, size: job.identity.size, etag: nil, version: nil, sha256: nil,
        checksum: nil, contentType: ticket.contentType, uploadedAt: clock.now()))
  }

  /// After a loss of the ledger, lists the files in the directory of a stopped group, whose objects may be at its storage.
  ///
  /// - Throws: `FileError` if the directory cannot be read, and the ledger's error.
  private func listRemote(_ cleanup: Cleanup, _ ledger: JobLedger) async throws {
    guard let part = parts[cleanup.spool], let job = try await ledger.job(.number(cleanup.job)),
      job.ticket.parcel.group != nil, try await ledger.members(of: job.number).isEmpty
    else { return }
    do {
      try await GroupUpload.list(job, part, ledger, on: workers)
    } catch let error as FileError {
      // A group that is gone has nothing to list.
      guard error.isOfSomethingGone || error.isOfNoGroup else { throw error }
    }
  }

  /// The number of refusals in a row after which the rest of a group is not tried.
  private static let mostRefusals = 16

  /// One try of what a group owes at its storage: each of its objects in turn. A refused one does not keep the others. What is
  /// gone, or may be for all that a refusal says, is noted before anything is returned: a retry sends it again, after a look.
  ///
  /// - Returns: nil if it has no objects.
  /// - Throws: `FileError` if the group's directory cannot be read, and the ledger's error.
  func clearMembers(
    _ cleanup: Cleanup, _ ledger: JobLedger, _ clear: (Cleanup) async -> CleanupResult
  ) async throws -> CleanupResult? {
    try await listRemote(cleanup, ledger)
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
        let cleared = await clear(object)
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
    if after == nil { return nil }
    if let refusal { return .refused(refusal) }
    return found ? .left : removed ? .removed : .absent
  }
}
