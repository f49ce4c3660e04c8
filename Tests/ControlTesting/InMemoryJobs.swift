package import ControlAPI
package import ControlServer
package import Jobs
import Linux
import MessageLiterals
import Messages

/// Jobs kept in memory: a second implementation of what the control server calls, with the transitions of the product.
package actor InMemoryJobs: ControlOperations {
  /// Before all that happens here, whose time is the same whenever a test is run: to be named, never counted back to from now.
  package static let beginning = "2026-11-21T00:00:00Z"

  private var jobs: [JobNumber: Job] = [:]
  private var attempts: [JobNumber: [Attempt]] = [:]
  private var events: [JobNumber: [JobEvent]] = [:]
  private var lastChange: [JobNumber: (event: JobEvent.Kind?, by: Caller?, at: Timestamp)] = [:]
  private var clock = Timestamp(year: 2026, month: 11, day: 21, hour: 12)
  private var log: EventLog
  private var pauses: [Pause] = []
  private var reloads = 0

  /// No jobs yet. So many events are kept in the log, and so many wait for a reader before it counts as too slow.
  package init(eventsKept: Int = 1000, eventsWaiting: Int = 1000) {
    log = EventLog(kept: eventsKept, waiting: eventsWaiting)
  }

  /// Admits a job and drives it on by what happens to it.
  @discardableResult
  package func add(_ name: FileName, spool: String = "documents", _ inputs: JobInput...) throws -> JobNumber {
    let number = JobNumber(rawValue: Int64(jobs.count + 1))
    let ticket = Ticket(
      id: JobID(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number.rawValue)), spool: spool,
      name: name, storage: "main", backend: "main", bucket: "documents", key: "a",
      contentType: "application/pdf", metadata: ["author": "anna"], priority: 0, createdAt: tick())
    let identity = FileIdentity(device: 1, inode: 2, size: 4096, modified: 3, changed: 4)
    jobs[number] = Job(number: number, ticket: ticket, identity: identity)
    lastChange[number] = (nil, nil, clock)
    record(
      JobEvent(at: clock, kind: .admitted, step: .upload, job: Job(number: number, ticket: ticket, identity: identity)))
    for input in inputs { try apply(input, to: number) }
    return number
  }

  package func job(_ number: JobNumber) -> Job? { jobs[number] }

  /// The calls of the control server, of which a test may replace some.
  package nonisolated var operations: ReplacedOperations { ReplacedOperations(self) }

  package func explain(_ query: ExplainQuery) -> ExplainAnswer {
    let path = String(decoding: query.path, as: UTF8.self)
    let missing = Explanation.Reason(reason: "missing", detail: "there is no such file")
    return ExplainAnswer(files: [Explanation(path: path, spool: "documents", reasons: [missing])])
  }

  package func events(_ query: EventQuery) -> EventSubscription { log.subscribe(query) }

  package func log(_ query: LogQuery) -> LogPage { log.page(query) }

  package func credentials() -> CredentialList {
    CredentialList(credentials: [
      CredentialMessage(
        destination: "storage.main", key: "access_key", source: "/etc/waybill/keys/s3-access-key",
        id: "AKIDEXAMPLE", changesWhileRunning: true, error: nil, isRefused: false),
      CredentialMessage(
        destination: "storage.main", key: "secret_key", source: "systemd credential s3-secret-key", id: nil,
        changesWhileRunning: false, error: nil, isRefused: false),
    ])
  }

  package func metrics() -> String { "waybill_up 1\n" }

  package var readers: Int { log.readers }

  package func tell(_ kind: Occurrence.Kind, of subject: Occurrence.Subject, _ message: String, reason: String) {
    var occurrence = Occurrence(kind, of: subject, at: tick(), message: .text(message), reason: .text(reason))
    log.append { sequence in
      occurrence.sequence = sequence
      return EventMessage(occurrence)
    }
  }

  /// The first reload works, the next ones find an error.
  package func reload(by caller: Caller) throws -> ReloadAnswer {
    reloads += 1
    guard reloads == 1 else {
      throw ProblemDocument(
        .configurationRejected, saying: .text("Configuration rejected; the old one stays in use:\nw.toml:1: broken"))
    }
    return ReloadAnswer(
      added: ["spool.b"], changed: ["daemon.concurrency"], removed: ["backend.old"], needsRestart: ["daemon.state"],
      asking: [7, 8])
  }

  package func pause(_ target: Pause.Target, by caller: Caller) -> PauseAnswer {
    let isNew = !pauses.contains { $0.target == target }
    if isNew { pauses.append(Pause(target, since: tick(), by: caller)) }
    return answer(isNew ? .pausedBy(target: target.name, user: caller.user) : .pausedAlready(target: target.name))
  }

  package func resume(_ target: Pause.Target, by caller: Caller) -> PauseAnswer {
    let wasPaused = pauses.contains { $0.target == target }
    pauses.removeAll { $0.target == target }
    return answer(wasPaused ? .resumedBy(target: target.name, user: caller.user) : .notPaused(target: target.name))
  }

  private func answer(_ message: Message) -> PauseAnswer { PauseAnswer(pauses: shownPauses, message: message) }

  private var shownPauses: [HoldMessage] {
    pauses.map { HoldMessage(destination: $0.target.name, reason: "paused", since: $0.since) }
  }

  package func status(on hosts: Set<String> = []) -> StatusMessage {
    let counts = Dictionary(jobs.values.map { ($0.state, 1) }, uniquingKeysWith: +)
    return StatusMessage(
      version: WaybillVersion.current, uptime: 7322, activity: .init(upload: counts[.active] ?? 0, register: 0),
      counts: Dictionary(uniqueKeysWithValues: JobState.allCases.map { ($0, counts[$0] ?? 0) }),
      gates: [HoldMessage(destination: "storage.main", reason: "unavailable", since: clock)],
      pauses: shownPauses,
      destinations: [
        DestinationMessage(
          destination: "storage.main", concurrency: .init(limit: 22, inFlight: counts[.active] ?? 0, adaptive: true),
          rate: .init(perSecond: 50, waiting: 3))
      ],
      bandwidth: 2 << 20,
      spools: [
        SpoolMessage(
          name: "documents", path: "/var/spool/waybill/documents", watch: "inotify", readiness: ["rename", "close"],
          lastScan: clock, oldestWaiting: nil)
      ])
  }

  package func jobs(_ query: ListQuery) -> JobPage {
    let isAscending = query.order == .oldest
    let jobs = isAscending ? found(query.filter) : found(query.filter).reversed()
    let rest =
      (query.after?.after).map { after in jobs.filter { isAscending ? $0.number > after : $0.number < after } } ?? jobs
    let page = rest.prefix(query.limit)
    let last = rest.count > page.count ? page.last : nil
    return JobPage(jobs: page.map(message), next: last.map { PageCursor(after: $0.number).description })
  }

  package func groups(_ filter: JobFilter) -> ReasonGroups {
    var count = ReasonCount(filter, clock: .zero)
    for job in found(filter) { count.add(message(job)) }
    return ReasonGroups(groups: count.largestFirst)
  }

  package func job(_ reference: JobReference) -> JobDetailMessage? {
    guard let job = find(reference) else { return nil }
    return JobDetailMessage(
      job, message: message(job), attempts: (attempts[job.number] ?? []).map { AttemptMessage($0) },
      history: (events[job.number] ?? []).map {
        HistoryMessage(
          at: $0.at, event: $0.kind, step: $0.step, revision: $0.job.revision, by: $0.by, reason: $0.reason)
      })
  }

  package func carryOut(
    _ command: JobCommand, on reference: JobReference, by caller: Caller, revision: Int64?
  ) throws -> CommandAnswer {
    guard let job = find(reference) else { throw UnknownJob(reference) }
    do {
      if let revision, revision != job.revision { throw Refusal(job: job, reason: .revision(revision)) }
      let after =
        switch command {
        case .release(let to): try dispose(job, .released, caller, Release(to: to, by: caller))
        case .discard: try dispose(job, .discarded, caller)
        case .confirm, .cancel, .retry:
          try apply(.command(command, by: caller, link: Self.link(of: command)), to: job.number)
        }
      return CommandAnswer(command, message(after), at: job.step, by: caller)
    } catch let refusal as Refusal {
      let last = lastChange[job.number]
      throw CommandRefused(refusal, change: last?.event, changedBy: last?.by, changedAt: last?.at)
    }
  }

  /// All there is, as to a reader who has nothing yet.
  package func changes(_ query: ChangesQuery) throws -> ChangesMessage {
    let page = log.page(LogQuery(order: .oldest, after: query.after, limit: LogQuery.limits.upperBound))
    return ChangesMessage(
      ledger: LedgerIdentityMessage(uuid: "00000000-0000-4000-8000-000000000001", generation: 1),
      reset: query.after > page.last, events: page.events.map { ChangesMessage.Event($0) }, upTo: page.last,
      last: page.last, all: true, seen: "0-0", more: false)
  }

  package func carryOut(_ command: JobCommand, on selection: JobSelection, by caller: Caller) throws -> BulkAnswer {
    let seen: [SeenJob] =
      switch selection {
      case .all, .filter, .group:
        selection.filter(for: command.name).map { found($0).map { SeenJob(.number($0.number), revision: nil) } } ?? []
      case .seen(let jobs): jobs
      }
    var done = 0
    var refusals: [BulkAnswer.Refused] = []
    for (reference, revision) in seen.map({ ($0.job, $0.revision) }) {
      do {
        _ = try carryOut(command, on: reference, by: caller, revision: revision)
        done += 1
      } catch let refused as CommandRefused {
        refusals.append(.init(reference, detail: "it is \(refused.refusal.job.state.rawValue)"))
      } catch is UnknownJob {
        refusals.append(.init(reference, detail: "there is no such job"))
      }
    }
    return BulkAnswer(done: done, refused: refusals.count, refusals: refusals)
  }

  /// The link that a confirm names, as a ledger would keep it.
  private static func link(of command: JobCommand) -> StoredLink? {
    guard case .confirm(let link?) = command else { return nil }
    return StoredLink(link: link, receipt: nil, body: [])
  }

  /// The file of an aborted or cancelled job goes; the record stays.
  private func dispose(_ job: Job, _ kind: JobEvent.Kind, _ caller: Caller, _ release: Release? = nil) throws -> Job {
    guard job.state == .aborted || job.state == .cancelled else {
      throw Refusal(job: job, reason: .state(kind == .released ? .release : .discard))
    }
    var job = job
    let now = tick()
    job.revision += 1
    job.state = .discarded
    job.release = release
    (job.updatedAt, job.finishedAt, job.disposedAt) = (now, now, now)
    jobs[job.number] = job
    record(JobEvent(at: now, kind: kind, step: job.step, job: job, by: caller))
    return job
  }

  private func record(_ event: JobEvent) {
    events[event.job.number, default: []].append(event)
    lastChange[event.job.number] = (event.kind, event.by, event.at)
    log.append { sequence in
      var message = EventMessage(event, job: self.message(event.job))
      message.sequence = sequence
      return message
    }
  }

  @discardableResult
  private func apply(_ input: JobInput, to number: JobNumber) throws -> Job {
    guard var job = jobs[number] else { throw UnknownJob(.number(number)) }
    let now = tick()
    let transition = try job.apply(input, now: now, steady: now)
    jobs[number] = job
    if let attempt = transition?.attempt { attempts[number, default: []].append(attempt) }
    if let event = transition?.event { record(event) }
    return job
  }

  private func find(_ reference: JobReference) -> Job? {
    switch reference {
    case .number(let number): jobs[number]
    case .id(let id): jobs.values.first { $0.ticket.id == id }
    case .onHost: nil
    }
  }

  private func found(_ filter: JobFilter) -> [Job] {
    jobs.values.filter { job in
      (filter.states.isEmpty || filter.states.contains(job.state)) && filter.step.map { $0 == job.step } ?? true
        && filter.spool.map { $0 == job.ticket.spool } ?? true
        && filter.name.map { Self.matches(job.ticket.name.text, $0) } ?? true
        && filter.error.map { job.failure?.kind.rawValue == $0 || job.failure?.words.contains($0) == true } ?? true
        && filter.like.map { jobs[$0].map { ReasonKey(of: message($0)) } == ReasonKey(of: message(job)) } ?? true
        && filter.since.map { job.ticket.createdAt >= $0 } ?? true
        && filter.until.map { job.ticket.createdAt < $0 } ?? true
    }.sorted { $0.number < $1.number }
  }

  private static func matches(_ name: String, _ wanted: String) -> Bool {
    guard wanted.contains(where: { "*?[".contains($0) }) else { return name.lowercased().contains(wanted.lowercased()) }
    return ShellPattern(wanted).matches(Array(name.utf8))
  }

  private func message(_ job: Job) -> JobMessage {
    let path = job.disposedAt == nil ? "/var/spool/waybill/documents/.waybill/\(job.ticket.id)" : nil
    return JobMessage(job, path: path, heldBy: nil)
  }

  private func tick() -> Timestamp {
    clock = clock + .seconds(1)
    return clock
  }
}

extension JobInput {
  /// The first attempt fails so that the operator is asked.
  package static let asks = JobInput.finished(
    attempt: 1, .failed(Failure(.rejected, "HTTP 422: invoice number is taken", status: 422), .ask))
  /// The first attempt meets a 503.
  package static let aborts = JobInput.finished(
    attempt: 1, .failed(Failure(.unavailable, "HTTP 503", status: 503), .abort))
  /// Step 1 succeeds.
  package static let uploads = JobInput.finished(
    attempt: 1,
    .uploaded(
      StoredLink(
        link: "s3://documents/a",
        receipt: UploadReceipt(
          bucket: "documents", key: "a", size: 4096, etag: "e", version: nil, sha256: "ab", checksum: nil,
          contentType: "application/pdf", uploadedAt: Timestamp(seconds: 1_790_000_000)), body: [])))
  /// Step 2 succeeds.
  package static let registers = JobInput.finished(
    attempt: 1,
    .registered(
      RegistrationReceipt(
        status: 201, location: "/documents/1", body: "{}", registeredAt: Timestamp(seconds: 1_790_000_001))))
}
