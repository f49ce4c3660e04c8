import ControlAPI
import ControlServer
import Delivery
import Jobs
import Ledger
import Linux
import ObjectStorage
import Spool
import WebPages

/// `GET /v1/explain`: why a file is a job, is none, or is not yet one.
extension CommandService {
  /// The most jobs of one name that an answer has.
  private static let mostJobs = 5
  /// The longest wait for a shared spool, whose file server may not answer.
  private static let patience = Duration.seconds(3)
  private static let slash = UInt8(ascii: "/")

  func explain(_ query: ExplainQuery) async throws -> ExplainAnswer {
    if query.path.first == Self.slash { return ExplainAnswer(files: [try await explain(path: query.path)]) }
    return ExplainAnswer(files: try await explain(name: query.path))
  }

  /// A name without a directory: in each spool that has such a file, or else the jobs of that name.
  private func explain(name: [UInt8]) async throws -> [Explanation] {
    var found: [Explanation] = []
    for spool in stages.spools.values.sorted(by: { $0.options.name < $1.options.name }) {
      let file = try await explain(FileName(bytes: name), in: spool)
      if file.reasons.first?.reason != FileStanding.Reason.missing.rawValue { found.append(file) }
    }
    if !found.isEmpty { return found }
    // A recursive spool keeps a path with the name, which a person need not know.
    let jobs = try await ledger.jobs(named: FileName(bytes: name), spool: nil, path: nil, limit: Self.mostJobs)
    if jobs.isEmpty, let job = try await numbered(name) {
      return [
        Explanation(
          path: stages.path(of: job) ?? job.ticket.name.text, spool: job.ticket.spool, reasons: [try await reason(job)],
          jobs: messages([job]))
      ]
    }
    let told = try await reason(jobs) ?? nowhere(name)
    return [Explanation(path: shown(name), spool: nil, reasons: [told], jobs: messages(jobs))]
  }

  /// The job of this number or id, where no file has such a name.
  private func numbered(_ name: [UInt8]) async throws -> Job? {
    guard let reference = JobReference(FileName(bytes: name).text) else { return nil }
    return try await ledger.job(reference)
  }

  private func explain(path: [UInt8]) async throws -> Explanation {
    guard let (spool, name) = place(of: path) else {
      let last = FileName(bytes: path).last
      let jobs = try await ledger.jobs(named: last, spool: nil, path: nil, limit: Self.mostJobs)
      return Explanation(path: shown(path), spool: nil, reasons: [inNoSpool()], jobs: messages(jobs))
    }
    guard !name.bytes.isEmpty else {
      let words = "it is the directory of spool \(spool.options.name)"
      let remedy = "name the files in it, or see waybill status"
      return Explanation(path: shown(path), spool: spool.options.name, reasons: [.init("spool", words, remedy: remedy)])
    }
    if let id = spool.claimedID(at: name), let job = try await ledger.job(.id(id)) {
      return Explanation(
        path: shown(path), spool: spool.options.name, reasons: [try await reason(job)], jobs: messages([job]))
    }
    return try await explain(name, in: spool)
  }

  /// A file that is, or was, at a place in a spool.
  private func explain(_ name: FileName, in spool: SpoolDirectory) async throws -> Explanation {
    let options = spool.options
    let path = shown(Array((options.path + "/").utf8) + name.bytes)
    let jobs = try await ledger.jobs(
      named: name.last, spool: options.name, path: name.path, limit: Self.mostJobs)
    guard let answer = await standing(of: name, in: spool) else {
      let unanswered = Explanation.Reason(
        FileStanding.Reason.lost.rawValue, "the file system of spool \(options.name) does not answer",
        remedy: "see that its file server can be reached")
      return Explanation(
        path: path, spool: options.name, reasons: [try await reason(jobs) ?? unanswered], jobs: messages(jobs))
    }
    guard let standing = answer else {
      let starting = Explanation.Reason("starting", "the spool is not read yet: the daemon is starting or stopping")
      return Explanation(path: path, spool: options.name, reasons: [starting], jobs: messages(jobs))
    }
    let told = Explanation.Reason(standing.reason.rawValue, standing.words, remedy: standing.remedy)
    switch standing.reason {
    case .missing:
      return Explanation(
        path: path, spool: options.name, reasons: [try await reason(jobs) ?? told], jobs: messages(jobs))
    case .ready, .open, .uncertain, .settling, .unseen, .awaitingSidecar, .awaitingDocument, .incomplete:
      let programs = standing.reason == .open ? standing.facts.map { FileWriters(of: $0).programs } ?? [] : []
      var writers: [Explanation.Writer] = []
      for program in programs {
        let user = await userNames.name(of: program.user)
        writers.append(.init(pid: program.process, program: DisplayText.escape(program.program), user: user))
      }
      let obstacles = await obstacles()
      // A file that is ready waits for these alone.
      let reasons =
        standing.reason == .ready
        ? (obstacles.isEmpty ? [told] : obstacles) : [told] + obstacles
      return Explanation(
        path: path, spool: options.name, reasons: reasons,
        until: MessageTime(standing.left.map { clock.now() + $0 }), writers: writers,
        inode: standing.facts.map { .init(device: $0.device, number: $0.inode) }, jobs: messages(jobs))
    case .looseFile, .hidden, .ignored, .unlisted, .empty, .tooSmall, .tooLarge, .notRecursive, .tooDeep,
      .otherFileSystem,
      .directory,
      .symbolicLink, .notAFile, .refused, .lost:
      return Explanation(
        path: path, spool: options.name, reasons: [told], until: MessageTime(standing.left.map { clock.now() + $0 }),
        jobs: messages(jobs))
    }
  }

  /// Returns nil if the spool does not answer.
  private func standing(of name: FileName, in spool: SpoolDirectory) async -> FileStanding?? {
    guard spool.isShared else { return .some(await spool.standing(of: name)) }
    return await answer(within: Self.patience, on: machine) { await spool.standing(of: name) }
  }

  /// The things that keep all files from being taken.
  private func obstacles() async -> [Explanation.Reason] {
    var reasons: [Explanation.Reason] = []
    for pause in ledger.counts.pauses where pause.target == .intake || pause.target == .recovered {
      let by = pause.target == .intake ? " by \(DisplayText.escape(pause.by.user))" : " since the ledger was lost"
      let option = pause.target == .intake ? "--intake" : "--recovered"
      reasons.append(
        .init(
          "paused", "no file is taken: the intake was paused\(by) at \(pause.since.rfc3339)",
          remedy: "waybill resume \(option)"))
    }
    room.lookAtSpace()
    let obstacles = room.obstacles
    if obstacles.ledgerFails {
      reasons.append(.init("ledger", "no file is taken: the ledger cannot be written", remedy: "waybill status"))
    }
    if let shortage = obstacles.shortage {
      reasons.append(.init("min-free", shortage, remedy: "make room there, or lower min_free"))
    }
    if obstacles.isFull {
      reasons.append(
        .init(
          "admit-ahead",
          "\(obstacles.ahead) jobs have not had their turn, and admit_ahead allows \(obstacles.admitAhead)",
          remedy: "it is taken when some of them are done; waybill status tells what holds them"))
    }
    return reasons
  }

  /// The state of the last of these jobs as a reason; nil if there is none.
  private func reason(_ jobs: [Job]) async throws -> Explanation.Reason? {
    guard let job = jobs.first else { return nil }
    return try await reason(job)
  }

  /// The reason why a job does not move now, or its end.
  private func reason(_ job: Job) async throws -> Explanation.Reason {
    let message = message(job)
    let number = message.job
    if let standstill = try await standstill(of: job) {
      return .init(
        job.state.rawValue, "it is job \(number): \(standstill.message)", remedy: standstill.remedy ?? "")
    }
    let failure = message.error.map { ": " + DisplayText.escape($0.message) } ?? ""
    let words =
      switch job.state {
      case .registered:
        "it was registered as job \(number)" + (message.finishedAt.map { " at \($0.timestamp.rfc3339)" } ?? "")
      case .aborted: "job \(number) was aborted\(failure)"
      case .cancelled: "job \(number) was cancelled"
      case .discarded: "job \(number) is over, and its file was given back or deleted"
      case .moved: "job \(number) is over here: another host has taken over the spool and the file"
      case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork:
        "job \(number) has just ended"
      }
    let remedy = job.state == .discarded ? "waybill show \(number)" : message.remedy ?? ""
    return .init(job.state.rawValue, words, remedy: remedy)
  }

  private func nowhere(_ name: [UInt8]) -> Explanation.Reason {
    let spools = stages.spools.values.map(\.options.path).sorted().joined(separator: ", ")
    return .init(
      FileStanding.Reason.missing.rawValue, "no spool has a file of this name, and no job either",
      remedy: "the spools are \(spools.isEmpty ? "none" : spools)")
  }

  private func inNoSpool() -> Explanation.Reason {
    let spools = stages.spools.values.map(\.options.path).sorted().joined(separator: ", ")
    return .init(
      "in-no-spool", "it is not in a spool of this daemon",
      remedy: spools.isEmpty ? "there is no spool" : "the spools are \(spools): move it there, or use waybill add")
  }

  /// The spool that a path is in, and the name below it: by the configured path, or by the directories that both lead to.
  private func place(of path: [UInt8]) -> (SpoolDirectory, FileName)? {
    let spools = stages.spools.values.sorted { $0.options.path.utf8.count > $1.options.path.utf8.count }
    for spool in spools {
      if let name = Self.name(path, below: Array(spool.options.path.utf8)) { return (spool, name) }
    }
    let real = Self.resolved(path)
    // The path of a shared spool is not gone: that may hang.
    for spool in spools where !spool.isShared {
      let directory = Array(spool.options.path.utf8)
      if let name = realPath(directory).flatMap({ Self.name(real, below: $0) }) { return (spool, name) }
    }
    return nil
  }

  /// The path with all links in its directory resolved. The file itself may be gone, or be a link.
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
