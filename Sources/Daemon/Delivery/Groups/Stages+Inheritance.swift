import Jobs
import Linux
import Spool
import Ledger

/// The files of groups in shared spools. The host that listed them has them in its ledger. Other hosts find them in the record of
/// the link or, before there is one, in the directory.
extension Stages {
  /// Copies the files of a group that another host has stored, with its receipts, from the record to the ledger, unless that is
  /// done.
  ///
  /// - Throws: `FileError` if the record cannot be read, and the ledger's error.
  func inheritMembers(of job: Job, _ ledger: JobLedger, _ part: SpoolPart) async throws {
    let (directory, id) = (part.directory, job.ticket.id)
    guard directory.isShared, let recorded = try await part.threads.run({ try directory.storedMembers(id) }) else {
      return
    }
    let known = try await ledger.progress(of: job.number)
    guard known.files < recorded.count.files || known.stored < recorded.count.stored else { return }
    while true {
      let page = try await part.threads.run { try recorded.next(upTo: JobLedger.memberPage) }
      guard !page.isEmpty else { return }
      try await ledger.list(page.map { ($0.path, $0.identity) }, of: job.number)
      try await withThrowingDiscardingTaskGroup { group in
        for member in page {
          guard let receipt = member.receipt else { continue }
          group.addTask { try await ledger.store(receipt, of: member.path, job.number) }
        }
      }
    }
  }

  /// Lists in the ledger what a stopped group may have at its storage, if another host has begun it, or a ledger that was lost: the files in
  /// the record, or else those in the directory.
  ///
  /// - Throws: as ``inheritMembers(of:_:_:)``.
  func listRemote(of job: Job, _ ledger: JobLedger, _ part: SpoolPart) async throws {
    guard let group = job.ticket.parcel.group else { return }
    if part.directory.isShared { try await inheritMembers(of: job, ledger, part) }
    guard try await ledger.members(of: job.number).isEmpty else { return }
    let (directory, ticket) = (part.directory, job.ticket)
    do {
      let pages = try await part.threads.run {
        try directory.groupPages(ticket.id, ticket.dropped, marker: group.marker)
      }
      while true {
        let page = try await part.threads.run { try pages.next(upTo: JobLedger.memberPage) }
        guard !page.isEmpty else { return }
        try await ledger.list(page.filter { !$0.isMarker }.map { ($0.path, $0.identity) }, of: job.number)
      }
    } catch let error as FileError {
      // A group that is gone has nothing to list.
      guard error.isOfSomethingGone || error.isOfNoGroup else { throw error }
    }
  }

  /// Returns the record of a job's link, with the lines of a group's files.
  ///
  /// - Throws: `FileError` if a line cannot be made, and the ledger's error.
  static func record(
    _ link: StoredLink, of job: Job, _ ledger: JobLedger
  ) async throws -> (record: StoredRecord, lines: [UInt8]) {
    guard job.ticket.parcel.group != nil else { return (StoredRecord(link, of: job.identity), []) }
    var lines: [UInt8] = []
    var count = GroupProgress(files: 0, stored: 0)
    var after: FileName?
    while true {
      let page = try await ledger.members(of: job.number, after: after)
      guard let last = page.last else { break }
      after = last.path
      count.files += page.count
      count.stored += page.count { $0.receipt != nil }
      lines += try StoredMembers.lines(page)
    }
    return (StoredRecord(link, of: job.identity, files: count), lines)
  }
}
