import ControlAPI
import ControlServer
import Delivery
import Jobs
import Ledger
import Linux
import Messages
import Spool
import WebPages

/// `GET /v1/explain`: why a file is a job, is none, or is not yet one.
extension CommandService {
  private static let mostJobs = 5
  private static let slash = UInt8(ascii: "/")

  func explain(_ query: ExplainQuery) async throws -> ExplainAnswer {
    if query.size != nil { return ExplainAnswer(files: [await explain(coming: query.path)]) }
    if query.path.first == Self.slash { return ExplainAnswer(files: [try await explain(path: query.path)]) }
    return ExplainAnswer(files: try await explain(name: query.path))
  }

  /// Tells what would become of a file, or a directory, that is dropped under a path.
  private func explain(coming path: [UInt8]) async -> Explanation {
    guard let (spool, name) = place(of: path), !name.bytes.isEmpty else {
      return Explanation(path: shown(path), spool: nil, reasons: [inNoSpool])
    }
    let status = await spool.status(ofComing: name, isDirectory: path.last == Self.slash)
    let told =
      status.map { Explanation.Reason(reason: $0.reason.rawValue, detail: $0.message, remedy: $0.advice) }
      ?? Explanation.Reason(reason: "starting", detail: .spoolNotRead)
    return Explanation(path: shown(path), spool: spool.options.name, reasons: [told])
  }

  /// Explains a name without a directory: in each spool that has such a file, else by the jobs of that name.
  private func explain(name: [UInt8]) async throws -> [Explanation] {
    var found: [Explanation] = []
    for spool in stages.spools.values.sorted(by: { $0.options.name < $1.options.name }) {
      let file = try await explain(FileName(bytes: name), in: spool)
      if file.reasons.first?.reason != FileStatus.Reason.missing.rawValue { found.append(file) }
    }
    if !found.isEmpty { return found }
    // A recursive spool records a path with the name, which the caller need not know.
    let jobs = try await ledger.jobs(named: FileName(bytes: name), spool: nil, path: nil, limit: Self.mostJobs)
    if jobs.isEmpty, let job = try await numbered(name) {
      return [
        Explanation(
          path: stages.path(of: job) ?? job.ticket.name.text, spool: job.ticket.spool, reasons: [try await reason(job)],
          jobs: messages([job]))
      ]
    }
    let told = try await reason(jobs) ?? nowhere
    return [Explanation(path: shown(name), spool: nil, reasons: [told], jobs: messages(jobs))]
  }

  private func numbered(_ name: [UInt8]) async throws -> Job? {
    guard let reference = JobReference(FileName(bytes: name).text) else { return nil }
    return try await ledger.job(reference)
  }

  private func explain(path: [UInt8]) async throws -> Explanation {
    guard let (spool, name) = place(of: path) else {
      let last = FileName(bytes: path).last
      let jobs = try await ledger.jobs(named: last, spool: nil, path: nil, limit: Self.mostJobs)
      return Explanation(path: shown(path), spool: nil, reasons: [inNoSpool], jobs: messages(jobs))
    }
    guard !name.bytes.isEmpty else {
      let reason = Explanation.Reason(reason: "spool", detail: .isSpool(spool: spool.options.name), remedy: .nameFiles)
      return Explanation(path: shown(path), spool: spool.options.name, reasons: [reason])
    }
    if let id = spool.claimedID(at: name), let job = try await ledger.job(.id(id)) {
      return Explanation(
        path: shown(path), spool: spool.options.name, reasons: [try await reason(job)], jobs: messages([job]))
    }
    return try await explain(name, in: spool)
  }

  private func explain(_ name: FileName, in spool: SpoolDirectory) async throws -> Explanation {
    let options = spool.options
    let path = shown(Array((options.path + "/").utf8) + name.bytes)
    let jobs = try await ledger.jobs(
      named: name.last, spool: options.name, path: name.path, limit: Self.mostJobs)
    guard let status = await spool.status(of: name) else {
      let starting = Explanation.Reason(reason: "starting", detail: .spoolNotRead)
      return Explanation(path: path, spool: options.name, reasons: [starting], jobs: messages(jobs))
    }
    let told = Explanation.Reason(reason: status.reason.rawValue, detail: status.message, remedy: status.advice)
    var file = Explanation(
      path: path, spool: options.name, reasons: [told], until: status.left.map { parts.clock.now() + $0 },
      jobs: messages(jobs))
    switch status.reason {
    case .missing: if let ended = try await reason(jobs) { file.reasons = [ended] }
    case .ready, .open, .uncertain, .settling, .unseen, .awaitingSidecar, .awaitingDocument, .incomplete:
      let obstacles = obstacles(of: options.name)
      // A file that is ready waits only for these.
      file.reasons = status.reason == .ready && !obstacles.isEmpty ? obstacles : [told] + obstacles
    case .looseFile, .hidden, .ignored, .unmatched, .notRecursive, .tooDeep, .otherFileSystem, .directory,
      .symbolicLink, .notAFile, .refused, .lost, .kept:
      break
    }
    return file
  }

  /// Returns the reasons why no file of a spool is claimed now.
  private func obstacles(of spool: String) -> [Explanation.Reason] {
    var reasons: [Explanation.Reason] = []
    for pause in ledger.counts.pauses where pause.target == .intake || pause.target == .recovered {
      let since = pause.since.rfc3339
      let isIntake = pause.target == .intake
      reasons.append(
        .init(
          reason: "paused",
          detail: isIntake
            ? .intakePaused(user: DisplayText.escape(pause.by.user), since: since) : .intakePausedLost(since: since),
          remedy: .command(command: "waybill resume " + (isIntake ? "--intake" : "--recovered"))))
    }
    let obstacles = parts.room.obstacles(of: spool)
    if obstacles.ledgerFails {
      reasons.append(.init(reason: "ledger", detail: .ledgerUnwritable, remedy: .command(command: "waybill status")))
    }
    if let shortage = obstacles.shortage {
      reasons.append(.init(reason: "min-free", detail: shortage, remedy: .makeRoomOrLower))
    }
    if obstacles.ahead >= obstacles.admitAhead {
      reasons.append(
        .init(
          reason: "admit-ahead",
          detail: .tooManyAhead(count: obstacles.ahead, most: obstacles.admitAhead), remedy: .takenWhenDone))
    }
    return reasons
  }

  private func reason(_ jobs: [Job]) async throws -> Explanation.Reason? {
    guard let job = jobs.first else { return nil }
    return try await reason(job)
  }

  /// Returns the reason why a job does not move now, or how it ended.
  private func reason(_ job: Job) async throws -> Explanation.Reason {
    let message = message(job)
    let number = message.job
    if let standstill = try await standstill(of: job) {
      return .init(
        reason: job.state.rawValue, detail: .isJob(job: number, why: standstill.message),
        remedy: standstill.remedy)
    }
    let said: Message =
      switch job.state {
      case .registered:
        .wasRegistered(job: number, at: (message.finishedAt ?? message.updatedAt).rfc3339)
      case .skipped:
        job.recognized.map { .wasSkippedAs(job: number, earlier: $0.job.rawValue) } ?? .wasSkipped(job: number)
      case .aborted:
        .wasAborted(
          job: number, why: (job.failure?.message ?? .unknownReason).changed { DisplayText.escape($0) })
      case .cancelled: .wasCancelled(job: number)
      case .discarded: Self.ended(message)
      case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork:
        .hasJustEnded(job: number)
      }
    let remedy = job.state == .discarded ? .command(command: "waybill show \(number)") : message.remedy
    return .init(reason: job.state.rawValue, detail: said, remedy: remedy)
  }

  /// The end of a job whose file a person deleted or took back.
  private static func ended(_ job: JobMessage) -> Message {
    guard let released = job.released else {
      return job.path == nil ? .wasDeleted(job: job.job) : .wasGivenUp(job: job.job)
    }
    let user = DisplayText.escape(released.by?.user ?? "")
    return .wasGivenBack(job: job.job, directory: DisplayText.escape(released.to), user: user)
  }

  private var nowhere: Explanation.Reason {
    .init(
      reason: FileStatus.Reason.missing.rawValue, detail: .nowhere, remedy: .theSpoolsAre(paths: spoolPaths))
  }

  private var inNoSpool: Explanation.Reason {
    .init(reason: "in-no-spool", detail: .inNoSpool, remedy: .moveToSpool(paths: spoolPaths))
  }

  private var spoolPaths: String { stages.spools.values.map(\.options.path).sorted().joined(separator: ", ") }

  /// Returns the spool that a path is in, and the name below it: by the configured path, or by the directory that both resolve
  /// to.
  private func place(of path: [UInt8]) -> (SpoolDirectory, FileName)? {
    let spools = stages.spools.values.sorted { $0.options.path.utf8.count > $1.options.path.utf8.count }
    for spool in spools {
      if let name = Self.name(path, below: Array(spool.options.path.utf8)) { return (spool, name) }
    }
    let real = Self.resolved(path)
    for spool in spools {
      if let name = realPath(Array(spool.options.path.utf8)).flatMap({ Self.name(real, below: $0) }) {
        return (spool, name)
      }
    }
    return nil
  }

  /// Returns the path with all links in its directory resolved. The file itself may be gone, or be a link.
  private static func resolved(_ path: [UInt8]) -> [UInt8] {
    let name = FileName(bytes: path)
    guard !name.path.isEmpty, let directory = realPath(name.path) else { return path }
    return directory + [slash] + name.last.bytes
  }

  private static func name(_ path: [UInt8], below directory: [UInt8]) -> FileName? {
    let parts = path.split(separator: slash)
    let above = directory.split(separator: slash)
    guard parts.starts(with: above, by: { $0.elementsEqual($1) }),
      !parts.contains(where: { $0.elementsEqual("..".utf8) })
    else { return nil }
    return FileName(bytes: Array(parts.dropFirst(above.count).joined(separator: [slash])))
  }

  private func shown(_ path: [UInt8]) -> String { FileName(bytes: path).text }

  private func messages(_ jobs: [Job]) -> [JobMessage] { jobs.map { message($0) } }
}
