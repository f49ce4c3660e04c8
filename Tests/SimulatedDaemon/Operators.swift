import ControlAPI
import ControlServer
import Daemon
import Jobs
import Ledger
import Simulation
import Synchronization

/// The people at the daemon: they give the commands of a scenario, and once all trouble is over they answer what is asked.
final class Operators: Sendable {
  static let caller = Caller(uid: 1000, user: "simulated")
  private static let page = 500
  /// A job that has not moved for so long after the trouble does not move at all.
  private static let patience = Duration.seconds(3 * 3600)

  /// So often people confirm before they give up.
  private static let mostConfirmed = 3

  private struct Contents {
    var life: Life?
    var busy = 0
    var jobs: [JobMessage]?
    /// What people were told of objects that are left, as they were last seen: ids of jobs, and sentences.
    var told: [String] = []
    /// True if there was a look that nobody has asked about.
    var isFresh = false
    /// The number of times that a job has asked after the trouble.
    var asked: [Int64: Int] = [:]
    /// The time since which a job is as it was last seen.
    var unchanged: [Int64: (revision: Int64, since: Duration)] = [:]
  }

  private let contents = Mutex(Contents())

  func connect(_ life: Life) { contents.withLock { $0.life = life } }

  var isIdle: Bool { contents.withLock { $0.busy == 0 } }

  /// True if there was a look at all jobs since this was last asked.
  func takeLook() -> Bool { contents.withLock { exchange(&$0.isFresh, with: false) } }

  /// What people were told of objects that are left: ids of jobs, and sentences.
  var told: [String] { contents.withLock(\.told) }

  /// The jobs as they were last seen; nil if nobody has looked.
  var jobs: [WorldFacts.Job]? {
    contents.withLock(\.jobs)?.map {
      WorldFacts.Job(
        number: $0.job, id: $0.id, spool: $0.spool, name: $0.name, step: $0.step.rawValue, state: $0.state.rawValue,
        remote: $0.remote?.rawValue)
    }
  }

  func perform(_ action: Action) {
    start { daemon, life in
      let operations = daemon.operations
      switch action {
      case .pause(let target): _ = try await operations.pause(Self.read(target), by: Self.caller)
      case .resume(let target): _ = try await operations.resume(Self.read(target), by: Self.caller)
      case .commandAll(let command):
        // Answered one by one, so that the books know each.
        for job in try await Self.all(operations) where command.name.statesOfAll.contains(job.state) {
          try await Self.give(command, to: job, operations, life)
        }
      case .command(let command, let choice):
        let fitting = try await Self.all(operations).filter { command.name.fittingStates.contains($0.state) }
        guard let job = choice.among(fitting, life) else { return }
        try await Self.give(command, to: job, operations, life)
      default: return
      }
    }
  }

  func reload() { start { daemon, _ in _ = try await daemon.operations.reload(by: Self.caller) } }

  /// Looks at all jobs once all trouble is over, answers what is asked, and has tried again what was aborted.
  func settle() {
    guard isIdle else { return }
    start { [self] daemon, life in
      let operations = daemon.operations
      for job in try await Self.all(operations) {
        let wish = life.wish(forName: job.name)
        guard let command = wish.map({ $0.command(in: job.state) }) ?? answer(to: job) else { continue }
        try await Self.give(command, to: job, operations, life)
      }
      let (told, questions) = try await Self.told(daemon.ledger)
      let state = life.state
      // Whatever becomes of a job with a damaged row, nobody waits for it.
      let jobs = try await Self.all(operations).filter { !state.books.isDamaged($0.id) }
      if life.isOfChance, let flood = state.books.flood(of: questions, causes: state.scenario.causes) {
        life.violate("people are asked too often: \(flood)")
      }
      let stuck = contents.withLock { contents -> JobMessage? in
        contents.jobs = jobs
        contents.told = told
        contents.isFresh = true
        return jobs.first { job in
          guard !job.state.isTerminal else { return false }
          let seen = contents.unchanged[job.job]
          let since = seen?.revision == job.revision ? seen?.since ?? life.elapsed : life.elapsed
          contents.unchanged[job.job] = (job.revision, since)
          return life.elapsed - since > Self.patience
        }
      }
      if let stuck { life.violate("a job does not move: \(Self.words(stuck))") }
    }
  }

  /// The answer of people who want all to be done. They give up what cannot be done: a key that is another's, a destination that is
  /// not there any more.
  private func answer(to job: JobMessage) -> Action.Command? {
    guard job.state == .awaitingConfirmation else { return job.state == .aborted ? .retry : nil }
    let isHopeless = [409, 412].contains(job.error?.status ?? 0) || job.error?.kind == .configuration
    let asked = contents.withLock { contents in
      contents.asked[job.job, default: 0] += 1
      return contents.asked[job.job] ?? 0
    }
    return isHopeless && asked > Self.mostConfirmed ? .cancel : .confirm
  }

  /// True if a job that was last seen is not at its end, or if nobody has looked.
  var isJobOpen: Bool { contents.withLock(\.jobs)?.contains { !$0.state.isTerminal } ?? true }

  private static func words(_ job: JobMessage) -> String {
    let hold =
      job.heldBy.map { ", held by \($0.destination): \($0.reason) until \($0.until.map { "\($0)" } ?? "-")" } ?? ""
    let time = job.nextAttemptAt.map { ", next attempt at \($0)" } ?? ""
    return
      "job \(job.job), \(job.name), \(job.step.rawValue) \(job.state.rawValue), attempt \(job.attempt)\(hold)\(time)"
      + (job.error.map { ", \($0)" } ?? "")
  }

  private func start(_ body: @escaping @Sendable (RunningDaemon, Life) async throws -> Void) {
    guard let life = contents.withLock(\.life) else { return }
    contents.withLock { $0.busy += 1 }
    let isStarted = life.start { [self] daemon in
      do {
        try await body(daemon, life)
      } catch {
        life.note("refused: \(error)")
      }
      contents.withLock { $0.busy -= 1 }
    }
    if !isStarted { contents.withLock { $0.busy -= 1 } }
  }

  private static func all(_ operations: any ControlOperations) async throws -> [JobMessage] {
    var (jobs, query) = ([JobMessage](), ListQuery(limit: page))
    repeat {
      let more = try await operations.jobs(query)
      jobs += more.jobs
      query.after = more.next.flatMap { PageCursor($0) }
    } while query.after != nil
    return jobs
  }

  private static func told(_ ledger: JobLedger) async throws -> (objects: [String], questions: [LoggedQuestion]) {
    var told: [String] = []
    var questions: [LoggedQuestion] = []
    var last: Int64 = 0
    while true {
      let (events, upTo) = try await ledger.events(after: last, limit: page)
      for event in events {
        if case .job(let event) = event { questions.append(LoggedQuestion(event)) }
        switch event {
        case .job(let event) where event.kind == .objectLeft: told.append(event.job.ticket.id.description)
        case .occurrence(let occurrence) where occurrence.kind == .objectLeft: told.append(occurrence.message)
        case .job, .occurrence: break
        }
      }
      if upTo <= last || events.count < page { return (told, questions) }
      last = upTo
    }
  }

  private static func give(
    _ command: Action.Command, to job: JobMessage, _ operations: any ControlOperations, _ life: Life
  ) async throws {
    let now = life.elapsed
    life.withBooks { books in
      books.commands += 1
      switch command {
      case .confirm, .retry:
        books.resumed(id: job.id, at: now)
        if job.state.isTerminal { books.retried(id: job.id, name: job.name) }
        if job.error?.code == "may-have-been-sent" { books.mayRepeat(id: job.id) }
      case .discard, .release: books.givenUp(name: job.name)
      case .cancelAndRemove: books.mayBeRemoved(id: job.id)
      case .cancel: break
      }
    }
    let gate = life.gateReason(at: job.destination)
    do {
      let after = try await send(
        command.inWords(life.releaseFolder), to: job, turn: life.isOfChance ? life.turn : nil, operations, life)
      life.note("\(command) of job \(job.job): \(after.state.rawValue)")
      let isOfGrant = job.step == .upload && job.destination?.hasPrefix("backend.") ?? false
      if let gate { life.reach(Reach.command(command, at: gate, isOfGrant: isOfGrant)) }
      if command == .cancel || command == .cancelAndRemove {
        life.withBooks { $0.stopped(id: job.id, name: job.name, asked: now, at: life.elapsed) }
      }
    } catch {
      life.note("\(command) of job \(job.job) is refused: \(error)")
    }
  }
}

extension Action.Command {
  fileprivate var name: JobCommand.Name {
    switch self {
    case .confirm: .confirm
    case .cancel, .cancelAndRemove: .cancel
    case .retry: .retry
    case .release: .release
    case .discard: .discard
    }
  }

  fileprivate func inWords(_ releaseFolder: String) -> JobCommand {
    switch self {
    case .confirm: .confirm()
    case .cancel: .cancel(reason: "a simulation")
    case .cancelAndRemove: .cancel(reason: "a simulation", remove: true)
    case .retry: .retry
    case .release: .release(to: releaseFolder)
    case .discard: .discard
    }
  }
}

extension LoggedQuestion {
  fileprivate init(_ event: JobEvent) {
    let failure = event.job.failure
    let isCertain = failure?.kind == .destination && (failure?.status == nil || failure?.code == Failure.clockCode)
    self.init(job: event.job.number.rawValue, isAsked: event.kind == .question, isOfDestination: isCertain)
  }
}

extension Wish {
  /// The command that brings a job nearer to what is wanted; nil if there is nothing to do now.
  fileprivate func command(in state: JobState) -> Action.Command? {
    switch state {
    case .registered, .skipped, .discarded: nil
    case .cancelled, .aborted:
      switch fate {
      case .cancelled, .removed: nil
      case .discarded: .discard
      case .released: .release
      }
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork:
      fate == .removed ? .cancelAndRemove : .cancel
    }
  }
}

extension Action.JobChoice {
  /// The job that is meant, of those that a command fits.
  fileprivate func among(_ jobs: [JobMessage], _ life: Life) -> JobMessage? {
    switch self {
    case .any(let number): jobs.isEmpty ? nil : jobs[number % jobs.count]
    case .ofFile(let file): life.name(ofFile: file).flatMap { name in jobs.last { $0.name == name } }
    }
  }
}

extension Pause.Target {
  init(_ target: Action.PauseTarget) {
    switch target {
    case .all: self = .all
    case .intake: self = .intake
    case .recovered: self = .recovered
    case .spool(let name): self = .spool(name)
    case .storage(let name): self = .destination(.storage(name))
    case .backend(let name): self = .destination(.backend(name))
    }
  }
}
