package import Jobs
package import Messages
package import Settings

/// A message to a receiver of notices.
package struct Notice: Hashable, Sendable {
  /// The name of the event: that of the log, or `problem` and `problem-over`.
  package var event: String
  /// The topic, by which receivers choose notices.
  package var topic: WebhookSettings.Topic
  /// The time at which it happened.
  package var at: Timestamp
  /// The event in a sentence.
  package var message: Message
  /// The job's number and id, the name of its file, its spool and its step; nil if no job is concerned.
  package var job: Int64? = nil
  package var id: String? = nil
  package var file: String? = nil
  package var spool: String? = nil
  package var step: String? = nil
  /// The destination, e.g. `storage.main`.
  package var destination: String? = nil
  /// The reason, if there is one.
  package var reason: Message? = nil
  /// The thing to do about it; nil if there is none.
  package var remedy: Message?

  /// The bytes that it takes in a request, roughly: escaping may add some.
  var size: Int {
    let texts = [message.text, id, file, spool, step, destination, reason?.text, remedy?.text]
    return texts.reduce(300) { $0 + ($1?.utf8.count ?? 0) }
  }

  package init(
    _ event: String, _ topic: WebhookSettings.Topic, at: Timestamp, message: Message, remedy: Message? = nil
  ) {
    self.event = event
    self.topic = topic
    self.at = at
    self.message = message
    self.remedy = remedy
  }

  /// Writes every member; missing values are null.
  fileprivate func write(into json: inout JSONText) {
    json.object { json in
      json.member("event", event)
      json.member("at", at.rfc3339Milliseconds)
      json.member("message", message.text)
      json.member("job", job)
      json.member("id", id)
      json.member("file", file)
      json.member("spool", spool)
      json.member("step", step)
      json.member("destination", destination)
      json.member("reason", reason?.text)
      json.member("remedy", remedy?.text)
    }
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
    reason = event.job.failure?.message
  }

  /// The notice of an event of a gate; nil for other occurrences.
  package init?(_ occurrence: Occurrence) {
    guard [.gateClosed, .gateOpened].contains(occurrence.kind), case .target(let target) = occurrence.subject else {
      return nil
    }
    self.init(occurrence.kind.rawValue, .gate, at: occurrence.at, message: occurrence.said)
    destination = target.name
    reason = occurrence.reason
  }
}

/// The body of a request to a receiver.
package struct NoticeBody {
  /// The host that the daemon runs on.
  package var host: String
  /// The notices, the oldest first.
  package var notices: [Notice]
  /// The number of notices that were left out since the last request: there was no room, or the receiver refused them.
  package var leftOut: Int

  /// The body in JSON.
  var json: [UInt8] {
    var json = JSONText(capacity: notices.reduce(100) { $0 + $1.size })
    json.object { json in
      json.member("host", host)
      json.member("left_out", Int64(leftOut))
      json.key("notices")
      json.array { json in for notice in notices { notice.write(into: &json) } }
    }
    return json.bytes
  }
}
