import Credentials
import HTTPTransfer
import Jobs
import Linux
import Messages
import ObjectStorage
import Registration
import Spool
import Synchronization
import Ledger

/// One attempt to store all files of a group.
///
/// First every file is listed in the ledger, with the facts of its bytes. Then those without a receipt are sent, a few at a time,
/// and each receipt is durable before the next file takes its place. So an attempt that ends early leaves the next one only what
/// is missing. Only the list for the backend grows with the number of files.
struct GroupUpload: Sendable {
  /// The number of files that are sent at a time. They share the transport's request slots with all other attempts.
  private static let mostAtOnce = 8
  /// The number of files that may fail in a way that passes by itself before the attempt ends.
  private static let mostFailures = 16

  let job: Job
  let bucket: S3Bucket
  let part: Stages.SpoolPart
  /// The threads that read the group's directory.
  let workers: WorkerThreads
  let types: MediaTypes
  let ledger: JobLedger
  let isProbe: Bool
  let sent: SentBytes?
  /// The facts of the group for tags and headers; nil if they name none.
  let facts: KeyFacts?

  /// The reason why an attempt ended.
  enum End: Error {
    case failed(Failure)
    /// The same; what the storage has of the group does not count.
    case corrupted(Failure)
    case cut
  }

  /// Stores the files that are missing.
  func run() async throws(End) {
    do {
      try await listAll()
      Failpoint.groupListed.pass()
      try await sendAll()
    } catch let end as End {
      throw end
    } catch is CancellationError {
      throw .cut
    } catch let error as FileError {
      throw .failed(failure(error))
    } catch {
      // An error of the ledger ends the daemon; here it ends only the attempt.
      throw .cut
    }
  }

  /// Lists the files as they are now.
  private func listAll() async throws {
    let (directory, ticket) = (part.directory, job.ticket)
    let pages = try await workers.run { try directory.held().groupPages(ticket.claim) }
    while true {
      try Task.checkCancellation()
      let page = try await workers.run { try pages.next(upTo: JobLedger.memberPage) }
      guard !page.isEmpty else { break }
      let files = page.filter { !$0.isMarker }
      try await ledger.list(files.map { ($0.path, $0.identity) }, of: job.number)
      if job.attempt > 1 {
        try await ledger.areBack(files.map { GroupKey.key(of: $0.path, in: ticket.key) }, in: job.number)
      }
    }
    if job.attempt > 1 { try await forgetGone() }
  }

  /// Forgets files that an earlier attempt listed and did not store, and that have gone since, such as a program's temporary
  /// files. Otherwise the job would ask about them for ever. What may have been sent of them is owed.
  private func forgetGone() async throws {
    let (directory, ticket) = (part.directory, job.ticket)
    var after: FileName?
    while true {
      let page = try await ledger.members(of: job.number, after: after, unstored: true)
      guard let last = page.last else { return }
      after = last.path
      let gone = try await workers.run {
        try page.map(\.path).filter { try !directory.held().hasMember($0, of: ticket.claim) }
      }
      try await ledger.forget(gone, of: job) { [key = ticket.key] in GroupKey.key(of: $0, in: key) }
    }
  }

  /// The state that the uploads of one attempt share.
  private final class Course: Sendable {
    private struct Contents {
      var failures: [(path: FileName, failure: Failure)] = []
      var isCorrupted = false
      var isCut = false
      var isFirst = true
      var hasStored = false
    }

    private let state = Mutex(Contents())

    /// True if nothing more is to be begun.
    var mustEnd: Bool {
      state.withLock { state in
        state.isCut || state.failures.count >= GroupUpload.mostFailures
          || state.failures.contains { $0.failure.kind != .transient }
      }
    }

    var isCut: Bool { state.withLock(\.isCut) }

    var isCorrupted: Bool { state.withLock(\.isCorrupted) }

    /// The failure to report: one that does not pass by itself, else the first one.
    var failure: (path: FileName, failure: Failure)? {
      state.withLock { state in state.failures.first { $0.failure.kind != .transient } ?? state.failures.first }
    }

    func begin() -> Bool { state.withLock { exchange(&$0.isFirst, with: false) } }

    /// True if a file was stored.
    var hasStored: Bool { state.withLock(\.hasStored) }

    func store() { state.withLock { $0.hasStored = true } }

    func cut() { state.withLock { $0.isCut = true } }

    func fail(_ path: FileName, _ failure: Failure, isCorrupted: Bool = false) {
      state.withLock { state in
        state.failures.append((path, failure))
        if isCorrupted { state.isCorrupted = true }
      }
    }
  }

  private func sendAll() async throws {
    let course = Course()
    var after: FileName?
    while true {
      let page = try await ledger.members(of: job.number, after: after, unstored: true)
      guard let last = page.last else { break }
      after = last.path
      try await withThrowingTaskGroup(of: Void.self) { group in
        var running = 0
        for member in page {
          if course.mustEnd { break }
          if running == Self.mostAtOnce {
            try await group.next()
            running -= 1
          }
          let probes = course.begin() && isProbe
          group.addTask { try await send(member, isProbe: probes, course) }
          running += 1
        }
        try await group.waitForAll()
      }
      if course.mustEnd { break }
    }
    if course.isCut { throw End.cut }
    guard let (path, first) = course.failure else { return }
    var failure = named(path, first)
    failure.hasProgressed = failure.hasProgressed || course.hasStored
    throw course.isCorrupted ? End.corrupted(failure) : End.failed(failure)
  }

  private func send(_ member: GroupMember, isProbe: Bool, _ course: Course) async throws {
    let key = GroupKey.key(of: member.path, in: job.ticket.key)
    guard key.utf8.count <= KeyTemplate.limit else {
      return course.fail(member.path, Failure(.rejected, .keyTooLong(size: key.utf8.count)))
    }
    let (directory, ticket) = (part.directory, job.ticket)
    let (ledger, job) = (self.ledger, self.job)
    var facts = self.facts
    facts?.name = member.path.last
    facts?.path = member.path.path
    let mayBeStored = job.attempt > 1 || job.mayBeStored
    var object = ObjectToStore(
      id: ticket.id, bucket: ticket.bucket, key: key,
      contentType: types.type(of: member.path.last) ?? FileMetadata.unknownType, facts: facts,
      metadata: ticket.objectMetadata,
      expected: member.identity, mayBeStale: member.mayBeStale || job.objectMayBeStale,
      mayBeForgotten: job.mayBeForgotten, mayBeStored: mayBeStored, isProbe: isProbe,
      multipart: member.multipart, mayHaveUploads: mayBeStored, since: ticket.createdAt,
      // Ignored: with a broken ledger the upload ends here, and recording its end says so.
      began: { upload in (try? await ledger.began(upload, of: member.path, job)) ?? false }, isLocal: false, sent: sent,
      open: { try directory.held().open(ticket.claim, member: member.path) })
    object.isOneOfMany = true
    switch await bucket.upload(object) {
    case .success(let receipt):
      Failpoint.memberStoring.pass()
      try await ledger.store(receipt, of: member.path, job.number)
      Failpoint.memberStored.pass()
      course.store()
    case .failure(.failed(let failure)): course.fail(member.path, failure)
    case .failure(.corrupted(let failure)):
      course.fail(member.path, failure, isCorrupted: true)
    case .failure(.changed(let failure, let now)):
      try await ledger.list([(member.path, now)], of: job.number)
      course.fail(member.path, failure)
    case .failure(.cut): course.cut()
    }
  }

  /// Returns the failure of one file as that of the job. Other files of the group may be stored.
  private func named(_ path: FileName, _ failure: Failure) -> Failure {
    var failure = failure
    failure.message = .fileOfGroup(path: path.shown, why: failure.message)
    failure.mayHaveActed = true
    return failure
  }

  private func failure(_ error: FileError) -> Failure {
    Failure(
      .file, error.advice.map { .fileErrorAndAdvice(error: error.message, advice: $0) } ?? error.message,
      code: error.code)
  }

  /// Returns the list of all files for the backend. A list that is too long ends the attempt.
  func list(link: (_ key: String) -> String) async throws(End) -> GroupList {
    var list = GroupList()
    var after: FileName?
    do {
      while true {
        let page = try await ledger.members(of: job.number, after: after)
        guard let last = page.last else { break }
        after = last.path
        for member in page {
          let key = GroupKey.key(of: member.path, in: job.ticket.key)
          list.add(member, key: key, link: link(key))
        }
        guard list.json.count <= GroupList.limit else {
          throw End.failed(
            Failure(.rejected, .groupListTooLong(limit: GroupList.limit), mayHaveActed: true))
        }
      }
    } catch let end as End {
      throw end
    } catch {
      throw .cut
    }
    list.end()
    return list
  }
}

/// The keys of a group's objects: the key of the group, which ends with a slash, and the path. No two paths have the same key.
enum GroupKey {
  static func key(of path: FileName, in group: String) -> String {
    var key = Array(group.utf8)
    NameText.append(path: path.bytes[...], to: &key)
    return String(decoding: key, as: UTF8.self)
  }
}
