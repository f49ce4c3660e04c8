package import Jobs
import Linux
import Messages
import SQLite

/// The lists of sent files of spools whose files stay where they are.
extension JobLedger {
  /// The number of days after which the presence of a file is noted again.
  private static let seenFor: Int64 = 7
  /// The number of days without a scan finding a file after which it may leave a full list.
  private static let absentFor: Int64 = 30
  private static let forgottenAtOnce = 1000
  /// The microseconds by which the times of files may be ahead where another machine's clock sets them.
  private static let clockDoubt: Int64 = 86_400 * 1_000_000
  /// The most files with equal bytes that are compared.
  private static let mostNamesakes = 64

  /// Opens the list of a spool whose files stay where they are, or makes one.
  /// A renamed spool keeps its list. If the list was lost or belongs to an older ledger, files that are older than now and not on the list
  /// may have been sent; ``standing(of:in:options:)`` reports that.
  /// Returns the uuid of the ledger, to be noted beside the spool.
  package func begin(
    _ source: KeptSource, of spool: String, _ route: Route, isConfigured: @escaping @Sendable (String) -> Bool
  ) async throws -> String {
    let identity = self.identity
    try await writer.perform { batch in
      let (db, last) = (batch.db, batch.memory.position.lastNumber)
      let now = batch.clock.now()
      for list in try SourceRow.all(in: db) {
        try Self.give(spool, list.route, itsList: source.path, isConfigured, in: db)
      }
      let lists = try SourceRow.all(in: db).filter { $0.spool == spool }
      for list in lists {
        if list.path != source.path { try list.rename(to: spool, source.path, in: db) }
        // A restored or copied ledger has another generation: it may lack files that were sent since.
        guard list.generation != identity.generation else { continue }
        try list.ask(before: now, after: last, generation: identity.generation, in: db)
      }
      guard !lists.contains(where: { $0.route == route }) else { return }
      try SourceRow.insert(spool, route, source.path, generation: identity.generation, into: db)
      // The note beside the spool names a list that is not here.
      guard source.ledger != nil, lists.isEmpty else { return }
      try SourceRow.of(spool, route, in: db)?.ask(before: now, after: last, generation: identity.generation, in: db)
    }
    return identity.uuid
  }

  /// Gives a spool its list: first the list of its directory under any name, then the list of its name. A list of that name for another
  /// directory is renamed.
  private static func give(
    _ spool: String, _ route: Route, itsList path: String, _ isConfigured: (String) -> Bool, in db: Database
  ) throws {
    let all = try SourceRow.all(in: db).filter { $0.route == route }
    guard let ofPath = all.first(where: { $0.path == path && $0.spool != spool }) else { return }
    let ofName = all.first { $0.spool == spool }
    guard ofName?.path != path else { return }
    // A configured spool with the name of that list keeps the list.
    if ofName == nil, isConfigured(ofPath.spool) { return }
    let spare = "\(spool) \(ofPath.number)"
    if let ofName { try ofName.rename(to: spare, ofName.path, in: db) }
    try ofPath.rename(to: spool, path, in: db)
    if let ofName, try SourceRow.of(ofPath.spool, route, in: db) == nil {
      try ofName.rename(to: ofPath.spool, ofName.path, in: db)
    }
  }

  /// Returns the standing of each file in the list of a spool, in order.
  package func standing(
    of files: [KeptFile], in spool: String, _ route: Route, options: SpoolOptions
  ) async throws -> [KeptStanding] {
    let today = KeptRow.day(clock.now())
    let (standings, stale, source): ([KeptStanding], [FileName], Int64?) = try await read { db in
      guard let source = try SourceRow.of(spool, route, in: db) else { return (files.map { _ in .new }, [], nil) }
      var stale: [FileName] = []
      let standings = try files.map { file in
        guard let row = try KeptRow.of(file.name, on: source, in: db) else {
          return Self.standing(ofUnknown: file, source, options)
        }
        // a day in the future comes from a clock that was set back
        if row.seen > today || today -| row.seen > Self.seenFor { stale.append(file.name) }
        return try Self.isKnown(file, row, in: db) ? .known(row.job) : .new
      }
      return (standings, stale, source.number)
    }
    if let source, !stale.isEmpty {
      let names = stale
      writer.recordSoon { batch in try KeptRow.saw(names, source: source, on: today, in: batch.db) }
    }
    return standings
  }

  private static func standing(ofUnknown file: KeptFile, _ source: SourceRow, _ options: SpoolOptions) -> KeptStanding {
    if source.files >= options.keepFiles { return .full }
    guard let lost = source.asksBefore else { return .new }
    return isOlder(file.identity, epoch: file.epoch, than: lost) ? .mayHaveBeenSent : .new
  }

  /// Returns true if a job's file is older than a loss of the list. The file's bytes are not known; only its name was on the list, for
  /// another card.
  package func mayHaveBeenSent(_ job: Job) async throws -> Bool {
    try await read { db in
      guard let row = try KeptRow.of(job, in: db), let lost = row.source.asksBefore, let last = row.source.asksAfter,
        job.number.rawValue > last
      else { return false }
      return Self.isOlder(job.identity, epoch: row.file.epoch, than: lost)
    }
  }

  private static func isOlder(_ file: FileIdentity, epoch: String?, than lost: Timestamp) -> Bool {
    // The clock of a camera has its own zone, and FAT does not say which.
    let doubt = epoch == nil ? 0 : clockDoubt
    return max(file.modified, file.changed) / 1000 < lost.microseconds +| doubt
  }

  /// Returns files of a job's spool that were registered by its route with these bytes: first the one of the same name, then those with
  /// the same inode, then some others.
  package func sentFiles(like job: Job, sha256: String) async throws -> [SentFile] {
    guard let sum = Hex.bytes(sha256) else { return [] }
    let (ticket, identity, name) = (job.ticket, job.identity, job.ticket.dropped)
    return try await read { db in
      guard let source = try SourceRow.of(ticket, in: db) else { return [] }
      let size = identity.size
      return try SentFile.all("name = ?", [source.number, size, sum, name.bytes], in: db)
        + SentFile.all(
          "inode = ? LIMIT \(Self.mostNamesakes)",
          [source.number, size, sum, Int64(bitPattern: identity.inode)], in: db)
        + SentFile.all("TRUE LIMIT \(Self.mostNamesakes)", [source.number, size, sum], in: db)
    }
  }

  /// Makes room in a nearly full list: removes files that no scan has found for long.
  /// Call it only after a scan of the whole spool, when all files that are there have been seen.
  package func forgetAbsentFiles(of spool: String, _ route: Route, most: Int) async throws {
    guard let source = try await read({ db in try SourceRow.of(spool, route, in: db) }),
      source.files >= most - most / 100
    else { return }
    // Waits for the scan's own notes, which are written at the end of the next commit.
    try await writer.perform { _ in }
    let day = KeptRow.day(clock.now()) - Self.absentFor
    try await writer.perform { batch in
      try KeptRow.forget(source: source.number, before: day, atMost: Self.forgottenAtOnce, in: batch.db)
    }
  }
}

extension LedgerBatch {
  /// Puts a file that is being admitted on the list of its spool.
  /// Returns false if the list has the same file, or its job is not over: then the file does not become a job.
  mutating func keep(_ file: KeptFile, of ticket: Ticket, as job: JobNumber) throws -> Bool {
    try write()
    guard let source = try SourceRow.orNew(ticket, in: db) else { return true }
    if let row = try KeptRow.of(file.name, on: source, in: db), try JobLedger.isKnown(file, row, in: db) {
      return false
    }
    try KeptRow.write(file, source: source.number, job: job, at: clock.now(), into: db)
    return true
  }

  /// Notes on the list of a spool the result for a file that stays where it is.
  mutating func keepEnd(of job: Job, after result: AttemptResult) throws {
    guard job.ticket.parcel == .inPlace else { return }
    // Only an attempt that has read the file is sure of these facts; the list may have newer ones.
    let hasRead =
      switch result {
      case .uploaded, .recognized, .changed: true
      case .registered, .failed, .cut, .unanswered: false
      }
    guard hasRead || job.state == .registered else { return }
    for source in try lists(of: job) {
      if hasRead { try KeptRow.changed(job, source: source.number, in: db) }
      switch job.state {
      case .registered:
        guard let sum = job.stored?.receipt?.sha256.flatMap(Hex.bytes) else { continue }
        try SentFile.write(job, sum: sum, sender: job.number, source: source.number, into: db)
      case .skipped:
        guard let recognized = job.recognized, let sum = Hex.bytes(recognized.sha256) else { continue }
        try SentFile.write(job, sum: sum, sender: recognized.job, source: source.number, into: db)
      default: break
      }
    }
  }

  /// Returns the lists with the file of an ended job: the list in which the job holds the name, even if the spool has been renamed;
  /// else the spool's list, because another job (another card) holds the name.
  private func lists(of job: Job) throws -> [SourceRow] {
    let all = try SourceRow.all(in: db)
    let own = try all.filter { try KeptRow.of(job.ticket.dropped, on: $0, in: db)?.job == job.number }
    return own.isEmpty ? all.filter { $0.spool == job.ticket.spool && $0.route == job.ticket.route } : own
  }
}

/// The names on the lists of sent files. If a person retries several jobs of one name, one job at a time holds the name and is attempted.
/// The others wait for the name, and find out then if something is left to send.
extension JobLedger {
  /// True if the last job of a name was for this file, or goes on.
  static func isKnown(_ file: KeptFile, _ row: KeptRow, in db: Database) throws -> Bool {
    // The attempt of a job that goes on finds out by itself what has changed.
    if try file.hasFacts(of: row.file) || isOpen(row.job, in: db) { return true }
    // A file whose job a person stopped has no sent bytes to compare. Where inodes do not last, it would be sent once its medium is back.
    guard file.epoch != nil, row.file.epoch != nil, file.identity.mayHoldBytes(of: row.file.identity) else {
      return false
    }
    return try !SentFile.isSent(file.name, by: row.job, source: row.source.number, in: db)
  }

  /// True if a job is not over. One that asks about a medium which never came back does not count: other cards have files of that name too.
  static func isOpen(_ job: JobNumber, in db: Database) throws -> Bool {
    let select = "SELECT state, failure_code FROM job LEFT JOIN trouble ON job = number WHERE number = ?"
    let found = try db.first(select, [job.rawValue]) {
      row -> (state: String, code: String?) in (row[0], row[1])
    }
    guard let found, let state = JobState(rawValue: found.state) else { return false }
    return isOpen(state, found.code)
  }

  static func isOpen(_ state: JobState, _ code: String?) -> Bool {
    !state.isTerminal && !(state == .awaitingConfirmation && code == Failure.awayCode)
  }

  /// Gives a job the name of its file for an attempt, unless another job that goes on holds the name.
  /// Returns the other job; nil if this job holds the name, or if the name is not on the list.
  package func holdName(of job: Job) async throws -> JobNumber? {
    // Nearly all jobs hold their name since the admission, and nothing is written.
    let holder = try await read { db in try KeptRow.of(job, in: db)?.job }
    if holder == nil || holder == job.number { return nil }
    return try await writer.perform { batch in try batch.holdName(of: job) }
  }
}

extension LedgerBatch {
  mutating func holdName(of job: Job) throws -> JobNumber? {
    guard let row = try keptRow(of: job), row.job != job.number else { return nil }
    // An attempt that has ended meanwhile holds nothing.
    guard let now = try self.job(job.number), now.state == .active, now.attempt == job.attempt else { return row.job }
    if try JobLedger.isOpen(row.job, in: db) { return row.job }
    // If the job's own list was renamed, this list is another directory's.
    let isElsewhere = try SourceRow.all(in: db).contains { list in
      try KeptRow.of(row.file.name, on: list, in: db)?.job == job.number
    }
    if !isElsewhere { try row.give(to: job, in: db) }
    return nil
  }

  /// Gives a job that a person started again the name of its file, unless another job that goes on holds the name. A job that only has to
  /// be registered goes before a job to be sent, which then finds its bytes registered.
  mutating func keepAgain(_ job: Job) throws {
    guard let row = try keptRow(of: job), row.job != job.number else { return }
    if try JobLedger.isOpen(row.job, in: db), try job.step == .upload || self.job(row.job)?.step == .register { return }
    try row.give(to: job, in: db)
  }

  private mutating func keptRow(of job: Job) throws -> KeptRow? {
    try write()
    return try KeptRow.of(job, in: db)
  }

  /// Makes a deferred job wait until the job that holds its name is over. If that is over by now, the deferred job is due at once.
  mutating func waitForName(_ job: Job) throws -> Job {
    guard job.waitsForName else { return job }
    guard let row = try keptRow(of: job), row.job != job.number, try JobLedger.isOpen(row.job, in: db) else {
      return try apply(.due, to: job) ?? job
    }
    memory.position.waitForNames[row.job, default: []].insert(job.number)
    return job
  }

  /// Makes the jobs due that wait for the name which a job held.
  mutating func giveName(of job: JobNumber) throws {
    for number in memory.position.waitForNames.removeValue(forKey: job)?.sorted() ?? [] {
      guard let waiting = try self.job(number), waiting.waitsForName else { continue }
      _ = try apply(.due, to: waiting)
    }
  }
}

extension Job {
  /// True while the job waits for its medium, also if a pause or a gate delays the next look.
  var waitsForMedium: Bool { [.deferred, .queued].contains(state) && failure?.code == Failure.awayCode }

  var waitsForName: Bool { state == .deferred && failure?.code == Failure.nameHeldCode }
}

extension Failure {
  /// The code of the failure of a job whose medium is not there. When the medium is back, these jobs are due at once.
  package static let awayCode = "in-place-away"
  /// The code of the failure of a job whose file is another job's for the time being (`after = "keep"`).
  package static let nameHeldCode = "file-of-another-job"
}

/// Jobs that wait for a medium that was taken out.
extension JobLedger {
  /// Makes the jobs due that wait for the medium of a spool, because it is there.
  /// Each commit changes some of them, so that other changes are not delayed. Jobs that wait for a name are due too, because a restart
  /// forgets which job holds it.
  package func makeDueWithMedium(of spool: String) async throws {
    var last: JobNumber? = JobNumber(rawValue: 0)
    while let after = last {
      last = try await writer.perform { batch in
        let jobs = try batch.jobs(
          """
          \(LedgerSchema.Condition.unfinished) AND job.spool = ? AND \(LedgerSchema.Condition.deferred) \
          AND trouble.failure_code IN (?, ?) AND job.number > ? ORDER BY job.number LIMIT ?
          """, [spool, Failure.awayCode, Failure.nameHeldCode, after.rawValue, Self.mostDueAtOnce])
        for job in jobs { _ = try batch.apply(.due, to: job) }
        return jobs.count == Self.mostDueAtOnce ? jobs.last?.number : nil
      }
    }
  }

  private static let mostDueAtOnce = 256
}
