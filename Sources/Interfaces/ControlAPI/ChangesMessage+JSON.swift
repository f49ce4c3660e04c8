import Jobs
package import Messages

extension ChangesMessage {
  /// Returns the answer as JSON, the same as ``ControlJSON/encode(_:)`` makes it, at a tenth of the cost: the fleet's agent asks
  /// for every job of a busy host. The bodies write events and jobs as they are made, instead of the answer's own: all those of a
  /// busy host at once take more memory than their text.
  ///
  /// - Parameter capacity: the likely number of bytes.
  /// - Throws: an error of the encoder, or of a body.
  package func json(
    capacity: Int = 0, events: (inout JSONText) throws -> Void, jobs: (inout JSONText) throws -> Void
  ) throws -> [UInt8] {
    var text = JSONText(capacity: capacity)
    let head = try ControlJSON.encode(ledger)
    try text.object { text in
      text.member("all", all)
      try text.member("events", array: events)
      text.member("gone", array: { text in for number in gone { text.value(number) } })
      try text.member("jobs", array: jobs)
      text.member("last", last)
      text.member("ledger", json: head)
      text.member("more", more)
      text.member("reset", reset)
      text.member("seen", seen)
      text.member("up_to", upTo)
    }
    return text.bytes
  }
}

extension JobPage {
  /// The page as JSON, the same as ``ControlJSON/encode(_:)`` makes it.
  ///
  /// - Throws: an error of the encoder, for the parts that few jobs have.
  public func json() throws -> [UInt8] {
    var text = JSONText()
    try text.object { text in
      try text.member("jobs", array: { text in for job in jobs { try text.value(job) } })
      text.member("next", next)
    }
    return text.bytes
  }
}

extension JSONText {
  /// Writes an event.
  package mutating func value(_ event: ChangesMessage.Event) { object { event.write(into: &$0) } }

  /// Writes a job.
  ///
  /// - Throws: an error of the encoder, for the parts that few jobs have.
  package mutating func value(_ job: JobMessage) throws { try object { try job.write(into: &$0) } }
}

extension ChangesMessage.Event {
  /// Writes the members that it has.
  fileprivate func write(into text: inout JSONText) {
    text.member("at", at)
    text.key("by")
    if let by { text.object { by.write(into: &$0) } } else { text.null() }
    text.member("destination", destination)
    text.member("event", event)
    text.member("id", sequence)
    text.member("job", job)
    text.member("message", message)
    text.member("message_said", messageSaid)
    text.member("reason", reason)
    text.member("reason_said", reasonSaid)
    text.member("revision", revision)
    text.member("spool", spool)
    text.member("step", step)
  }
}

extension CallerMessage {
  fileprivate func write(into text: inout JSONText) {
    text.member("uid", uid.map(Int64.init))
    text.member("user", user)
  }
}

extension JobMessage {
  /// Writes every member; an absent value is null.
  fileprivate func write(into text: inout JSONText) throws {
    text.member("attempt", Int64(attempt))
    text.member("created_at", createdAt)
    text.member("destination", destination)
    text.member("disposed_at", disposedAt)
    text.member("error", json: try error.map { try ControlJSON.encode($0) })
    text.member("finished_at", finishedAt)
    text.member("group_files", groupFiles.map(Int64.init))
    text.member("held_by", json: try heldBy.map { try ControlJSON.encode($0) })
    text.member("id", id)
    text.member("job", job)
    text.member("link", link)
    text.member("name", name)
    text.member("name_base64", nameBase64)
    text.member("next_attempt_at", nextAttemptAt)
    text.member("path", path)
    text.member("phase", phase.rawValue)
    text.member("question", question)
    text.member("question_said", questionSaid)
    text.key("released")
    if let released {
      text.object { text in
        text.key("by")
        text.object { released.by.write(into: &$0) }
        text.member("to", released.to)
      }
    } else {
      text.null()
    }
    text.member("remote", remote?.rawValue)
    text.member("revision", revision)
    text.member("same_as", sameAs)
    text.member("size", size)
    text.member("spool", spool)
    text.member("state", state.rawValue)
    text.member("step", step.rawValue)
    text.member("updated_at", updatedAt)
  }
}

extension JSONText {
  /// Writes a member with a time; nil is null.
  package mutating func member(_ name: String, _ time: MessageTime?) {
    key(name)
    value(time)
  }

  /// Writes a time; nil is null.
  private mutating func value(_ time: MessageTime?) {
    guard let time else { return null() }
    value(unescaped: { time.timestamp.rfc3339MillisecondCharacters.append(to: &$0) })
  }
}
