package import Jobs
package import Messages
package import Settings

package struct Notice: Hashable, Sendable {
  /// The name of the event: that of the log, or `problem` and `problem-over`.
  package var event: String
  package var topic: WebhookSettings.Topic
  package var at: Timestamp
  package var message: Message
  /// The job's number and id, the name of its file, its spool and its step; nil if no job is concerned.
  package var job: Int64?
  package var id: String?
  package var file: String?
  package var spool: String?
  package var step: String?
  /// The destination, e.g. `storage.main`.
  package var destination: String?
  package var reason: Message?
  package var remedy: Message?

  /// The bytes that it takes in a request, roughly: escaping may add some.
  var size: Int {
    [message.text, id, file, spool, step, destination, reason?.text, remedy?.text].reduce(200) {
      $0 + ($1?.utf8.count ?? 0)
    }
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

  fileprivate func write(to text: inout JSONText) {
    text.object { text in
      text.member("at", at.rfc3339Milliseconds)
      text.member("destination", destination)
      text.member("event", event)
      text.member("file", file)
      text.member("id", id)
      text.member("job", job)
      text.member("message", message.text)
      text.member("reason", reason?.text)
      text.member("remedy", remedy?.text)
      text.member("spool", spool)
      text.member("step", step)
    }
  }
}

extension Notice {
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
    destination = event.job.blamed.text
    reason = event.job.failure?.message
  }

  package init?(_ occurrence: Occurrence) {
    guard [.gateClosed, .gateOpened].contains(occurrence.kind), case .target(let target) = occurrence.subject else {
      return nil
    }
    self.init(occurrence.kind.rawValue, .gate, at: occurrence.at, message: occurrence.said)
    destination = target.name
    reason = occurrence.reason
  }
}

extension NoticeQueue.Batch {
  /// Returns the body of the request as JSON. Equal batches of a host are equal bytes.
  package func body(host: String) -> [UInt8] {
    var text = JSONText()
    text.object { text in
      text.member("host", host)
      text.member("left_out", Int64(leftOut))
      text.member("notices", array: { text in for notice in notices { notice.write(to: &text) } })
    }
    return text.bytes
  }
}
