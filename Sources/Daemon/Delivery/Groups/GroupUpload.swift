import HTTPTransfer
import Jobs
import Ledger
import Linux
import Messages
import ObjectStorage
import Registration
import Seams
import Spool

/// One attempt to store all files of a group. First every file is listed in the ledger. Then files without a receipt are sent, a few at a
/// time, and each receipt is durable before the next file follows. So the next attempt sends only the missing files.
struct GroupUpload: Sendable {
  /// The number of files that are sent at a time. They share the transport's request slots with all other attempts.
  private static let mostAtOnce = 8
  /// The number of files that may fail in a way that passes by itself before the attempt ends.
  private static let mostFailures = 16

  let stages: Stages
  let job: Job
  let bucket: any StorageStage
  let part: Stages.SpoolPart
  let ledger: JobLedger
  /// The properties that the objects of all files share.
  let object: ObjectToStore

  /// Stores the files that are missing, and returns the receipt of the group as a whole.
  func run() async -> Result<UploadReceipt, UploadFailure> {
    do {
      try await listAll()
      Failpoint.groupListed.pass()
      try await sendAll()
    } catch let failure as UploadFailure {
      return .failure(failure)
    } catch let error as FileError {
      return .failure(.failed(error.failure))
    } catch {
      // A cancellation, or an error of the ledger, which ends the daemon; here it ends only the attempt.
      return .failure(.cut)
    }
    return .success(
      UploadReceipt(
        bucket: object.bucket, key: job.ticket.key, size: job.identity.size, etag: nil, version: nil, sha256: nil,
        checksum: nil, contentType: object.contentType, uploadedAt: stages.clock.now()))
  }

  private func listAll() async throws {
    try await Self.list(job, part, ledger, on: stages.workers) { files in
      try Task.checkCancellation()
      guard job.attempt > 1 else { return }
      try await ledger.areBack(files.map { GroupUpload.key(of: $0, in: job.ticket.key) }, in: job.number)
    }
    if job.attempt > 1 { try await forgetGone() }
  }

  /// Lists a group's files in the ledger, as they are in its directory now. `listed` receives the files of each page.
  static func list(
    _ job: Job, _ part: Stages.SpoolPart, _ ledger: JobLedger, on workers: WorkerThreads,
    _ listed: ([FileName]) async throws -> Void = { _ in }
  ) async throws {
    let (directory, ticket) = (part.directory, job.ticket)
    let pages = try await workers.run { try directory.held().groupPages(ticket.claim) }
    while true {
      let page = try await workers.run { try pages.next(upTo: JobLedger.memberPage) }
      guard !page.isEmpty else { return }
      let files = page.filter { !$0.isMarker }
      try await ledger.list(files.map { ($0.path, $0.identity) }, of: job.number)
      try await listed(files.map(\.path))
    }
  }

  /// Forgets files that an earlier attempt listed and did not store, and that are gone, such as a program's temporary files. Otherwise the
  /// job would ask about them for ever. Cleanups remove bytes of them that may have been sent.
  private func forgetGone() async throws {
    let (directory, ticket) = (part.directory, job.ticket)
    var after: FileName?
    while true {
      let page = try await ledger.members(of: job.number, after: after, unstored: true)
      guard let last = page.last else { return }
      after = last.path
      let gone = try await stages.workers.run {
        try page.map(\.path).filter { try !directory.held().hasMember($0, of: ticket.claim) }
      }
      try await ledger.forget(gone, of: job) { [key = ticket.key] in GroupUpload.key(of: $0, in: key) }
    }
  }

  /// The ends of the uploads of one attempt so far.
  private struct Course {
    private var failures: [(path: FileName, failure: Failure)] = []
    private(set) var isCorrupted = false
    private(set) var isCut = false
    private(set) var hasStored = false

    var mustEnd: Bool {
      isCut || failures.count >= GroupUpload.mostFailures || failures.contains { $0.failure.kind != .transient }
    }

    /// The failure to report: one that does not pass by itself, else the first one.
    var failure: (path: FileName, failure: Failure)? {
      failures.first { $0.failure.kind != .transient } ?? failures.first
    }

    /// Adds the end of a file's upload; nil if the file is stored.
    mutating func add(_ end: UploadFailure?, of path: FileName) {
      switch end {
      case nil: hasStored = true
      case .cut: isCut = true
      case .failed(let failure), .changed(let failure, _): failures.append((path, failure))
      case .corrupted(let failure):
        failures.append((path, failure))
        isCorrupted = true
      }
    }
  }

  private func sendAll() async throws {
    var course = Course()
    var isProbe = object.isProbe
    var after: FileName?
    while !course.mustEnd {
      let page = try await ledger.members(of: job.number, after: after, unstored: true)
      guard let last = page.last else { break }
      after = last.path
      try await withThrowingTaskGroup(of: (FileName, UploadFailure?).self) { tasks in
        for (index, member) in page.enumerated() {
          if index >= Self.mostAtOnce, let (path, end) = try await tasks.next() { course.add(end, of: path) }
          if course.mustEnd { break }
          tasks.addTask { [isProbe] in (member.path, try await send(member, isProbe: isProbe)) }
          isProbe = false
        }
        while let (path, end) = try await tasks.next() { course.add(end, of: path) }
      }
    }
    if course.isCut { throw UploadFailure.cut }
    guard let (path, first) = course.failure else { return }
    var failure = named(path, first)
    failure.hasProgressed = failure.hasProgressed || course.hasStored
    throw course.isCorrupted ? UploadFailure.corrupted(failure) : .failed(failure)
  }

  /// Sends a file, and returns why it is not stored; nil if it is.
  private func send(_ member: GroupMember, isProbe: Bool) async throws -> UploadFailure? {
    let key = GroupUpload.key(of: member.path, in: job.ticket.key)
    guard key.utf8.count <= KeyTemplate.limit else {
      return .failed(Failure(.rejected, .keyTooLong(size: key.utf8.count)))
    }
    let (directory, ticket) = (part.directory, job.ticket)
    let (ledger, job) = (self.ledger, self.job)
    var object = self.object
    object.key = key
    object.contentType = stages.types.type(of: member.path.last) ?? FileMetadata.unknownType
    object.facts?.name = member.path.last
    object.facts?.path = member.path.path
    object.expected = member.identity
    object.mayBeStale = member.mayBeStale || object.mayBeStale
    object.mayBeStored = object.mayHaveUploads
    object.isProbe = isProbe
    object.multipart = member.multipart
    // Ignored: with a broken ledger the upload ends here, and the commit of its end reports that.
    object.began = { upload in (try? await ledger.began(upload, of: member.path, job)) ?? false }
    object.isLocal = false
    object.isOneOfMany = true
    object.open = { try directory.held().open(ticket.claim, member: member.path) }
    switch await bucket.upload(object) {
    case .success(let receipt):
      Failpoint.memberStoring.pass()
      try await ledger.store(receipt, of: member.path, job.number)
      Failpoint.memberStored.pass()
      return nil
    case .failure(let failure):
      if case .changed(_, let now) = failure { try await ledger.list([(member.path, now)], of: job.number) }
      return failure
    }
  }

  /// Returns the failure of one file as the job's. Other files of the group may be stored.
  private func named(_ path: FileName, _ failure: Failure) -> Failure {
    var failure = failure
    failure.message = .fileOfGroup(path: path.shown, why: failure.message)
    failure.mayHaveActed = true
    return failure
  }

  /// Returns the list of all files for the backend. A list that is too long ends the attempt.
  static func list(
    of job: Job, _ ledger: JobLedger, link: (_ key: String) -> String
  ) async throws(UploadFailure) -> GroupList {
    var list = GroupList()
    var after: FileName?
    do {
      while true {
        let page = try await ledger.members(of: job.number, after: after)
        guard let last = page.last else { break }
        after = last.path
        for member in page {
          let key = GroupUpload.key(of: member.path, in: job.ticket.key)
          list.add(member, key: key, link: link(key))
        }
        guard list.json.count <= GroupList.limit else {
          throw UploadFailure.failed(
            Failure(.rejected, .groupListTooLong(limit: GroupList.limit), mayHaveActed: true))
        }
      }
    } catch let failure as UploadFailure {
      throw failure
    } catch {
      throw .cut
    }
    list.end()
    return list
  }

  /// Returns the key of an object of a group: the key of the group, which ends with a slash, and the path. No two paths have the same key.
  static func key(of path: FileName, in group: String) -> String {
    var key = Array(group.utf8)
    NameText.append(path: path.bytes[...], to: &key)
    return String(decoding: key, as: UTF8.self)
  }
}

extension Stages {
  /// After a loss of the ledger, lists the files in the directory of a stopped group, whose objects may be at its storage.
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

  /// Tries once to clean up a group's objects, one after the other; nil if it has none. A refusal for one does not keep the others. Objects
  /// that are gone, or may be gone despite a refusal, are noted before the return: a retry looks for them and sends them again.
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
          key: GroupUpload.key(of: member.path, in: cleanup.key), version: member.receipt?.version,
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
