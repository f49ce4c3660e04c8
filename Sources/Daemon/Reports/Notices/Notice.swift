package import ControlAPI
package import Jobs
package import Messages
package import Settings

/// A message to a receiver of notices.
package struct Notice: Hashable, Sendable, Encodable {
  /// The name of the event: that of the log, or `problem` and `problem-over`.
  package var event: String
  /// The topic, by which receivers choose notices.
  package var topic: WebhookSettings.Topic
  /// The time at which it happened.
  package var at: MessageTime
  /// The event in a sentence.
  package var message: String
  /// The job's number and id, the name of its file, its spool and its step; nil if no job is concerned.
  @Nullable package var job: Int64? = nil
  @Nullable package var id: String? = nil
  @Nullable package var file: String? = nil
  @Nullable package var spool: String? = nil
  @Nullable package var step: String? = nil
  /// The destination, e.g. `storage.main`.
  @Nullable package var destination: String? = nil
  /// The reason, if there is one.
  @Nullable package var reason: String? = nil
  /// The code and the arguments of the message, the reason and the remedy; nil for words that have none.
  @Nullable package var messageSaid: Message?
  @Nullable package var reasonSaid: Message? = nil
  @Nullable package var remedySaid: Message?
  /// The thing to do about it; nil if there is none.
  @Nullable package var remedy: String?

  /// The bytes that it takes in a request, roughly: escaping may add some.
  var size: Int {
    let texts = [message, id, file, spool, step, destination, reason, remedy]
    let said = [messageSaid, reasonSaid, remedySaid].map { $0?.json }
    return (texts + said).reduce(300) { $0 + ($1?.utf8.count ?? 0) }
  }

  package init(
    _ event: String, _ topic: WebhookSettings.Topic, at: Timestamp, message: Message, remedy: Message? = nil
  ) {
    self.event = event
    self.topic = topic
    self.at = MessageTime(at)
    self.message = message.text
    messageSaid = message.coded
    self.remedy = remedy?.text
    remedySaid = remedy?.coded
  }

  private enum CodingKeys: String, CodingKey {
    case event, at, message, job, id, file, spool, step, destination, reason, remedy
    case messageSaid = "message_said"
    case reasonSaid = "reason_said"
    case remedySaid = "remedy_said"
  }
}

extension Notice {
  /// The notice of a job's event; nil for an event that makes no notice.
  package init?(_ event: JobEvent) {
    let topic: WebhookSettings.Topic
    let number = event.job.number.rawValue
    switch event.kind {
    case .question: topic = .question
    case .aborted: topic = .aborted
    default: return nil
    }
    self.init(
      event.kind.rawValue, topic, at: event.at, message: event.said,
      remedy: topic == .question
        ? .commandOr(command: "waybill confirm \(number)", other: "waybill cancel \(number)")
        : .command(command: "waybill retry \(number)"))
    job = number
    id = event.job.ticket.id.description
    file = event.job.ticket.name.text
    spool = event.job.ticket.spool
    step = event.step.rawValue
    destination = event.job.destination.text
    reason = event.job.failure?.words
    reasonSaid = event.job.failure?.message.coded
  }

  /// The notice of an event of a gate; nil for other occurrences.
  package init?(_ occurrence: Occurrence) {
    guard [.gateClosed, .gateOpened].contains(occurrence.kind), case .target(let target) = occurrence.subject else {
      return nil
    }
    self.init(occurrence.kind.rawValue, .gate, at: occurrence.at, message: occurrence.said)
    destination = target.name
    reason = occurrence.reason?.text
    reasonSaid = occurrence.reason?.coded
  }
}

/// The body of a request to a receiver.
package struct NoticeBody: Encodable {
  /// The host that the daemon runs on.
  package var host: String
  /// The notices, the oldest first.
  package var notices: [Notice]
  /// The number of notices that were left out since the last request: there was no room, or the receiver refused them.
  package var leftOut: Int

  private enum CodingKeys: String, CodingKey {
    case host, notices
    case leftOut = "left_out"
  }
}
