import ControlAPI
import HTTPTypes
import HummingbirdCore
import Jobs
import Linux
import Messages
import NIOCore
import PostgreSQL
import WebPages

/// The calls of the API, over what the fleet stores.
struct FleetCalls: Sendable {
  /// The time for which an answer waits for the hosts that are asked.
  private static let patience = Duration.seconds(5)
  /// The seconds after which a stream without events has a comment, by which both sides notice that the other one has gone.
  private static let heartbeat = 15
  /// A comment, which readers ignore.
  private static let comment = ByteBuffer(string: ": the fleet is here\n\n")

  let database: FleetDatabase
  private let report: @Sendable (String) -> Void
  private let damage = FleetDamage()
  /// The readers of events at a time.
  private let streams = ConnectionSlots(16)

  init(database: FleetDatabase, report: @escaping @Sendable (String) -> Void) {
    (self.database, self.report) = (database, report)
  }

  private var now: Timestamp { Timestamp(microseconds: Clocks.wall()) }

  // MARK: looking

  /// Answers a call that changes nothing.
  ///
  /// - Parameter call: the segments of the path after `v1`.
  func look(_ call: [String], _ query: FleetQuery, lastEvent: String?) async throws -> SiteAnswer {
    let (hosts, texts, damage) = (query.hosts, query.texts, self.damage)
    switch call.first {
    case "openapi.json" where call.count == 1: return SiteAnswer(json: APIDescription.document)
    case "status" where call.count == 1:
      return SiteAnswer(
        json: try await database.run { session in
          FleetStatus(hosts: try FleetHost.list(session, hosts), damaged: damage.counts).json(texts)
        })
    case "jobs" where call.count == 1:
      var list = try ListQuery(parsing: query.rest, now: now)
      list.filter.hosts.formUnion(hosts)
      return SiteAnswer(
        json: try await database.run { [list] session in
          try FleetJobs.page(session, list, texts, damaged: damage.note)
        })
    case "jobs" where call.count == 2:
      let name = try Self.job(call[1])
      return SiteAnswer(
        json: try await database.run { session in
          let detail = try FleetJobs.detail(session, try FleetJobs.find(session, name, on: hosts))
          return detail.json(texts: texts)
        })
    case "groups" where call.count == 1:
      var filter = try JobFilter(parsing: query.rest, now: now)
      filter.hosts.formUnion(hosts)
      return SiteAnswer(
        json: try await database.run { [filter] session in
          let groups = try FleetGroups.list(session, filter)
          var text = JSONText(capacity: groups.count * 512, texts: texts)
          text.object { text in
            text.member("groups", array: { text in for group in groups { group.write(into: &text) } })
          }
          return text.bytes
        })
    case "log" where call.count == 1:
      let log = try LogQuery(parsing: query.rest, now: now)
      return SiteAnswer(json: try await database.run { try FleetEvents.page($0, log, on: hosts, texts) })
    case "throughput" where call.count == 1:
      return SiteAnswer(json: try await database.run { try FleetEvents.throughput($0, on: hosts) })
    case "events" where call.count == 1:
      let events = try EventQuery(lastEventID: lastEvent, query: query.rest, now: now)
      return SiteAnswer(events: stream(FleetEvents.Reader(events, on: hosts, texts), texts))
    case "explain", "credentials", "changes": throw Self.elsewhere(hosts)
    default: throw Self.nothing(at: "/v1/" + call.joined(separator: "/"))
    }
  }

  /// Returns the writer of a stream, which looks for events each second.
  private func stream(_ reader: FleetEvents.Reader, _ texts: TextForm) -> SiteAnswer.Stream {
    { @concurrent writer in
      do {
        guard streams.acquire() else {
          throw ProblemDocument(.overloaded, saying: .tooManyReaders)
        }
        defer { streams.giveBack() }
        try await writer.write(Self.comment)
        var reader = reader
        var quiet = 0
        while true {
          let (text, next) = try await database.run { [reader] session -> (String, FleetEvents.Reader) in
            var reader = reader
            let text = try reader.next(session)
            return (text, reader)
          }
          (reader, quiet) = (next, text.isEmpty ? quiet + 1 : 0)
          if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
          if quiet >= Self.heartbeat {
            try await writer.write(Self.comment)
            quiet = 0
          }
          try await Task.sleep(for: .seconds(1))
        }
      } catch {
        let problem =
          error as? ProblemDocument ?? ProblemDocument(.internal, saying: .eventsUnreadable(why: "\(error)"))
        let json = String(decoding: problem.json(texts: texts), as: UTF8.self)
        try await writer.write(ByteBuffer(string: "event: error\ndata: \(json)\n\n"))
      }
      try await writer.finish(nil)
    }
  }

  // MARK: commands

  /// Answers a command.
  ///
  /// - Parameter call: the segments of the path after `v1`.
  func carryOut(
    _ call: [String], _ query: FleetQuery, _ body: [UInt8], by person: String
  ) async throws -> SiteAnswer {
    let word = call.last ?? ""
    // A command that ignored its query would do more than its caller asked for.
    guard query.rest.isEmpty else {
      throw ProblemDocument(.invalidRequest, saying: .queryOfCommand(query: DisplayText.escape(query.rest)))
    }
    switch (call.count, call.first, JobCommand.Name(rawValue: word)) {
    case (3, "jobs", let name?):
      let command = try CommandBody(parsing: body, for: name)
      return try await carryOut(command, on: try Self.job(call[1]), query, person)
    case (2, "jobs", let name?) where name.isForMany:
      return try await carryOut(name, query, try BulkBody(parsing: body, for: name, now: now), person)
    case (1, "pause", _), (1, "resume", _):
      let body = try PauseBody(parsing: body)
      return try await pause(word, body.target, on: query.hosts.union(body.hosts), query.texts, person)
    case (1, "reload", _): throw Self.elsewhere(query.hosts)
    default: throw Self.nothing(at: "/v1/" + call.joined(separator: "/"))
    }
  }

  private func carryOut(
    _ body: CommandBody, on job: JobReference, _ query: FleetQuery, _ person: String
  ) async throws -> SiteAnswer {
    let hosts = query.hosts
    let found = try await database.run { try FleetJobs.find($0, job, on: hosts) }
    // what only the host's own people may decide: where a file goes, and which link is true
    if body.command.name == .release { throw Self.elsewhere([found.host]) }
    if case .confirm(.some) = body.command { throw Self.elsewhere([found.host]) }
    let wish = FleetRequest.Wish(body.command, meant: "\(found.host):\(found.number)", person: person)
    // Before the host is asked: what cannot be told afterwards must not look as if it had not been done.
    var answer = try await answer(about: found, .fleetAsked(host: found.host))
    let request = try await database.run { session in
      var condition = FleetCondition()
      condition.add(found.ledger) { "job.ledger = \($0)::uuid" }
      condition.add(String(found.number)) { "job.number = \($0)::bigint" }
      return try FleetRequest.ask(session, wish, of: condition, revision: body.revision).hinted(session)
    }
    try told(request, wish)
    let progress = try await outcome(of: request)
    if let result = progress.results.first {
      let message = Message.text(result.words)
      switch FleetOutcome.Kind(rawValue: result.outcome) {
      case .done: answer.message = message
      case .unknown: throw ProblemDocument(.unknownJob, saying: message)
      case .changed: throw ProblemDocument(.revision, saying: message)
      case .refused, .expired, nil: throw ProblemDocument(.state, saying: message)
      }
    }
    // Ignored: a job that has left the copy meanwhile is told as it was.
    if let now = try? await self.answer(about: found, answer.message) { answer = now }
    return SiteAnswer(json: answer.json(texts: query.texts), status: progress.open > 0 ? .accepted : .ok)
  }

  /// Returns a job as it is stored now, with a sentence.
  private func answer(about job: FleetJobs.Found, _ message: Message) async throws -> CommandAnswer {
    var said = JSONText(texts: .coded)
    said.value(message)
    let coded = String(decoding: said.bytes, as: UTF8.self)
    return try await database.run { session in
      try FleetJobs.read(
        CommandAnswer.self, session, job, with: "'host', \(FleetView.name("host.name")), 'message', $3::jsonb", [coded])
    }
  }

  private func carryOut(
    _ name: JobCommand.Name, _ query: FleetQuery, _ body: BulkBody, _ person: String
  ) async throws -> SiteAnswer {
    let (hosts, texts, selection) = (query.hosts, query.texts, body.selection)
    let wish = FleetRequest.Wish(body.command, meant: Self.words(selection), person: person)
    let given: (FleetRequest, [FleetSelection.Refusal]) = try await database.run { session in
      let (chosen, refusals) = try FleetSelection.jobs(session, selection, for: name, on: hosts)
      guard let chosen else { return (FleetRequest(batch: "", count: 0), refusals) }
      let request = try session.transaction { () throws -> FleetRequest in
        let request = try FleetRequest.ask(session, wish, of: chosen.condition)
        // a host that allows more than before, or takes another's name, may add jobs that were not shown
        guard request.count <= chosen.most else { throw ProblemDocument.changed(chosen.group, to: nil) }
        return request
      }
      return (request.hinted(session), refusals)
    }
    let (request, refusals) = given
    report(wish, request)
    let progress = try await request.count > 0 ? outcome(of: request) : FleetRequest.Progress()
    let notAllowed = request.notAllowed.map { $0.jobs }.saturatingSum
    let refused = request.count - progress.done - progress.open + notAllowed + Int64(refusals.count)
    var text = JSONText(capacity: 1024, texts: texts)
    text.object { text in
      text.member("done", progress.done)
      text.member("asked", progress.open)
      text.member("refused", refused)
      text.member("left", String?.none)
      text.member(
        "refusals",
        array: { text in
          for refusal in refusals { Self.refusal(nil, .text(refusal.job), refusal.detail, &text) }
          for (host, _) in request.notAllowed {
            Self.refusal(host, .null, .fleetNotAllowed(host: host, action: name.rawValue), &text)
          }
          for result in progress.results where result.outcome != FleetOutcome.Kind.done.rawValue {
            let job = result.job.map { JSONNode.number(String($0)) } ?? .null
            Self.refusal(result.host, job, .text(result.words), &text)
          }
        })
    }
    return SiteAnswer(json: text.bytes, status: progress.open > 0 ? .accepted : .ok)
  }

  private func pause(
    _ action: String, _ target: Pause.Target, on hosts: Set<String>, _ texts: TextForm, _ person: String
  ) async throws -> SiteAnswer {
    let meant = target.name + (hosts.isEmpty ? "" : " on \(hosts.sorted().joined(separator: ", "))")
    let wish = FleetRequest.Wish(action: action, target: target.name, meant: meant, person: person)
    let request = try await database.run { try FleetRequest.ask($0, wish, on: hosts).hinted($0) }
    try told(request, wish)
    let progress = try await outcome(of: request)
    let refused = request.count - progress.done - progress.open + request.notAllowed.map { $0.jobs }.saturatingSum
    let message: Message =
      progress.results.count == 1 && request.notAllowed.isEmpty
      ? .text(progress.results.map { "\($0.host): \($0.words)" }.joined())
      : .fleetHosts(done: progress.done, refused: refused, open: progress.open)
    let present = try await database.run { try FleetHost.list($0, hosts) }
    var text = JSONText(capacity: 1024, texts: texts)
    text.object { text in
      text.member("message", message)
      FleetStatus(hosts: present, damaged: [:]).writePauses(into: &text)
    }
    return SiteAnswer(json: text.bytes, status: progress.open > 0 ? .accepted : .ok)
  }

  /// Reports a request to the journal.
  ///
  /// - Throws: ``ProblemDocument`` if no host is asked, because none allows it or none is there.
  private func told(_ request: FleetRequest, _ wish: FleetRequest.Wish) throws(ProblemDocument) {
    report(wish, request)
    guard request.count == 0 else { return }
    guard let (host, _) = request.notAllowed.first else {
      throw ProblemDocument(.unknownDestination, saying: .fleetNoHost)
    }
    let action = wish.needed.joined(separator: ", ")
    throw ProblemDocument(.onBehalfOf, saying: .fleetNotAllowed(host: host, action: action))
  }

  private func report(_ wish: FleetRequest.Wish, _ request: FleetRequest) {
    report(
      "\(DisplayText.escape(wish.person)) asks for \(wish.action)\(wish.remove ? " with removal" : ""): \(request.count) "
        + "commands, request \(request.batch)")
  }

  /// Waits for the hosts, but not long.
  private func outcome(of request: FleetRequest) async throws -> FleetRequest.Progress {
    let deadline = ContinuousClock.now + Self.patience
    while true {
      let progress = try await database.run { try request.progress($0) }
      if progress.open == 0 || ContinuousClock.now >= deadline { return progress }
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  /// Writes a refusal of a bulk command.
  ///
  /// - Parameter job: its number, or its name as a text.
  private static func refusal(_ host: String?, _ job: JSONNode, _ detail: Message, _ text: inout JSONText) {
    text.object { text in
      if let host { text.member("host", host) }
      // Ignored: what is no number is a name, and the other way round.
      text.member("job", try? job.integer())
      text.member("id", try? job.text())
      text.member("detail", detail)
    }
  }

  private static func words(_ selection: JobSelection) -> String {
    switch selection {
    case .all: "all"
    case .filter(let filter), .group(let filter, _): filter.text
    case .seen(let jobs): jobs.prefix(20).map(\.job.description).joined(separator: " ")
    }
  }

  private static func job(_ segment: String) throws(ProblemDocument) -> JobReference {
    guard let job = JobReference(PercentEncoding.decoded(segment)) else {
      throw ProblemDocument(.unknownJob, saying: .noSuchJob(job: DisplayText.escape(segment)))
    }
    return job
  }

  /// The answer to a call that only a daemon answers.
  private static func elsewhere(_ hosts: Set<String>) -> ProblemDocument {
    let host = hosts.sorted().joined(separator: ", ")
    return ProblemDocument(.unknownPath, saying: host.isEmpty ? .fleetElsewhere : .fleetElsewhereHost(host: host))
  }

  /// The answer to a path that is none.
  static func nothing(at path: String) -> ProblemDocument {
    ProblemDocument(.unknownPath, saying: .nothingAt(path: DisplayText.escape(path)))
  }
}
