import ControlAPI
import Delivery
import Jobs
import Ledger
import Messages
import ObjectStorage
import Reports
import Settings
import Spool

extension CommandService {
  /// Finds uploads in parts that no job owns, under keys that jobs of this daemon may have, and aborts them if the request asks
  /// for it. Uploads younger than `older_than` are skipped, because an attempt commits its upload's id only after the upload was
  /// begun. The ledger's log records who had uploads aborted, and how many.
  func sweep(_ body: SweepBody, by caller: Caller) async throws -> SweepAnswer {
    let live = current.now
    let stages = live.stages
    if let name = body.storage, stages.storages[name] == nil {
      let known = stages.storages.keys.sorted().joined(separator: ", ")
      throw ProblemDocument(
        .unknownDestination, detail: "There is no storage \(DisplayText.escape(name)); the storages are: \(known)")
    }
    let oldest = clock.now() + (.zero - (try body.age))
    var swept: [SweepAnswer.Upload] = []
    for (name, storage) in stages.storages.sorted(by: { $0.key < $1.key }) where body.storage ?? name == name {
      let before = swept.count
      var failure: Failure?
      var found: [UploadUnderWay] = []
      do throws(Failure) {
        found = try await leftovers(at: storage.stage, name, live, before: oldest)
      } catch {
        failure = error
      }
      // durable before the first one is aborted, so that a crash hides nothing
      if body.abort == true, !found.isEmpty { try await record(found.count, at: name, caller) }
      do throws(Failure) {
        for upload in found {
          if body.abort == true { try await storage.stage.abort(upload) }
          swept.append(
            SweepAnswer.Upload(
              storage: name, bucket: upload.bucket, key: upload.key, uploadID: upload.id,
              initiatedAt: MessageTime(upload.begunAt), isAborted: body.abort == true))
        }
      } catch {
        failure = error
      }
      if let failure {
        if body.abort == true { try await record(failure, after: swept.count - before, at: name, caller) }
        let done = swept.count(where: \.isAborted)
        throw ProblemDocument(
          .storage,
          detail: "\(Destination.storage(name)): \(failure.words)"
            + (done > 0 ? "; \(done) uploads were aborted before" : ""))
      }
    }
    return SweepAnswer(uploads: swept)
  }

  /// Records in the ledger's log and in the journal who has uploads aborted, and how many.
  private func record(_ count: Int, at storage: String, _ caller: Caller) async throws {
    let user = DisplayText.escape(caller.user)
    let message: Message =
      count == 1 ? .sweptOne(storage: storage, user: user) : .sweptMany(storage: storage, count: count, user: user)
    try await record(message, at: storage, nil, caller)
  }

  private func record(_ failure: Failure, after count: Int, at storage: String, _ caller: Caller) async throws {
    let user = DisplayText.escape(caller.user)
    let message: Message =
      count == 1
      ? .sweepFailedOne(storage: storage, user: user, why: failure.message)
      : .sweepFailedMany(storage: storage, count: count, user: user, why: failure.message)
    try await record(message, at: storage, failure, caller)
  }

  private func record(_ message: Message, at storage: String, _ failure: Failure?, _ caller: Caller) async throws {
    let occurrence = Occurrence(
      .swept, of: .destination(.storage(storage)), at: clock.now(), message: message, reason: failure?.message,
      by: caller)
    journal.log(occurrence)
    try await ledger.recordNow(occurrence)
  }

  private func leftovers(
    at bucket: S3Bucket, _ name: String, _ live: LiveConfiguration, before oldest: Timestamp
  ) async throws(Failure) -> [UploadUnderWay] {
    var found: [String: UploadUnderWay] = [:]
    for spool in live.configuration.spools where spool.storage == name {
      guard let plan = live.admissions.plans[spool.name] else { continue }
      let pattern = KeyPattern(plan.key, spool: spool.name, host: live.stages.host)
      for upload in try await bucket.uploadsUnderWay(in: plan.bucket, prefix: pattern.prefix)
      where pattern.matches(upload.key) && upload.begunAt.map({ $0 <= oldest }) ?? false {
        found[upload.id] = upload
      }
    }
    guard !found.isEmpty else { return [] }
    // read last, so that uploads count that were committed while the storage was listed
    let owned: Set<String>
    do {
      owned = try await ledger.ownedUploads()
    } catch {
      throw Failure(.configuration, .ledgerUnreadable(why: "\(error)"))
    }
    return found.values.filter { !owned.contains($0.id) }.sorted { ($0.key, $0.id) < ($1.key, $1.id) }
  }
}
