import ControlAPI
import Jobs
import Messages
import PostgreSQL

/// One job and its history.
struct JobPage: Sendable {
  var job: FleetJob
  var history: [FleetEvent]

  /// Reads the job; nil if there is none.
  init?(_ session: PostgreSQLSession, _ name: String) throws {
    var filter = FleetFilter()
    filter.jobs = [name]
    guard let job = try FleetView.jobs(session, filter, limit: 1).jobs.first else { return nil }
    self.job = job
    history = try FleetView.history(session, of: job)
  }

  /// Returns the page's content.
  func markup(for visitor: Visitor) -> Markup {
    let message = job.job
    let facts: [(String, String, Markup?)] = [
      ("state", "State", Markup.words(message.stateWord, Overview.state(message.stateWord))),
      ("givenBack", "Given back", message.released.map(Self.place)),
      ("what", "What happened", Self.happened(message)),
      ("step", "Step", "\(Markup.words(message.step.rawValue, message.step.rawValue))"),
      ("f_host", "Host", "\(job.host)"), ("f_destination", "Destination", message.destination.map { "\($0)" }),
      ("id", "Id", "\(message.id)"), ("spool", "Spool", "\(message.spool)"),
      ("path", "File is at", message.path.map { "\($0)" }),
      ("size_", "Size", "\(Markup.bytes(message.size))"), ("link", "Link", message.link.map { "\($0)" }),
      ("f_attempt", "Attempt", "\(message.attempt)"),
      ("next_", "Next try", message.nextAttemptAt.map { .time($0.timestamp.rfc3339) }),
      ("created", "Taken in", .time(message.createdAt.timestamp.rfc3339)),
      ("changed", "Changed", .time(message.updatedAt.timestamp.rfc3339)),
      ("finished", "Finished", message.finishedAt.map { .time($0.timestamp.rfc3339) }),
    ]
    let shown = facts.compactMap { key, english, value -> Markup? in
      value.map { "<dt>\(Markup.words(key, english))</dt><dd>\($0)</dd>" }
    }
    let events = history.map { event -> Markup in
      let by: Markup = event.by.map { " \(Markup.words("by", "by {0}", $0))" } ?? ""
      let reason: Markup = event.reason.map { ": \(Markup.said($0, event.reasonSaid))" } ?? ""
      return
        "<li>\(Markup.time(event.at)) \(Markup.said(event.message.isEmpty ? event.event : event.message, event.messageSaid))\(by)\(reason)</li>"
    }
    let asOf: Markup =
      job.isOfSilentHost
      ? """
      <p id="verdict" class="warn">\(Markup.words("f_hostSilent", "{0} was not heard of lately: the job is shown as of", job.host)) \
      \(Markup.time(job.hostSeenAt.timestamp.rfc3339))</p>
      """ : ""
    return """
      <section id="job" data-live aria-labelledby="job-t"><h2 id="job-t">\(job.shown) \(message.name)</h2>\(asOf)\
      <p class="acts">\(Self.acts(job, visitor))</p><dl>\(shown)</dl>\
      <h3>\(Markup.words("history", "History"))</h3><ol class="lines">\(events)</ol></section>
      """
  }

  /// Returns the place and the person of a release.
  private static func place(_ release: JobMessage.Released) -> Markup {
    release.to.isEmpty
      ? Markup.words("givenBy", "by {0}", release.by.user)
      : Markup.words("givenTo", "to {0}, by {1}", release.to, release.by.user)
  }

  /// Returns the question or the reason of a job.
  static func happened(_ job: JobMessage) -> Markup {
    if let question = job.question { return .said(question, job.questionSaid) }
    if let hold = job.heldBy { return .said(hold.said) }
    guard job.state != .registered, let error = job.error else { return "\(job.link ?? "")" }
    return .said(error.message, error.messageSaid)
  }

  /// Returns the commands that fit the job and that its host allows.
  static func acts(_ job: FleetJob, _ visitor: Visitor) -> [Markup] {
    guard visitor.name != nil else { return [] }
    let state = job.job.state
    let retry = state == .awaitingConfirmation ? JobCommand.Name.confirm : .retry
    return [(retry, "retry", "Retry"), (JobCommand.Name.cancel, "cancelDots", "Cancel…")].compactMap {
      action, key, label in
      guard action.fittingStates.contains(state), job.allow.contains(action.rawValue) else { return nil }
      return Markup.link(
        "/answer", [("action", action.rawValue), ("job", job.name), ("revision", String(job.job.revision))],
        "\(Markup.words(key, label))<span class=\"hidden\"> \(job.shown)</span>", button: true)
    }
  }
}
