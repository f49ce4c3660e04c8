import Jobs
package import Messages

/// Reads what a busy host's agent reads of every job that its daemon does: a third of the decoder's cost. Members may come in any
/// order; in that of ``ControlJSON/encode(_:)`` they are found at once. A member that is not known is passed over.
extension ChangesMessage {
  /// Reads the answer.
  ///
  /// - Throws: ``JSONFault`` for anything else.
  package init(json bytes: [UInt8]) throws(JSONFault) {
    var members = try JSONReader.object(bytes)
    all = try members.member("all").flag()
    events = []
    for event in try members.member("events").array() { events.append(try Event(event)) }
    gone = []
    for number in try members.member("gone").array() { gone.append(try number.integer()) }
    jobs = try JobMessage.list(members.member("jobs"))
    last = try members.member("last").integer()
    ledger = try LedgerIdentityMessage(members.member("ledger"))
    more = try members.member("more").flag()
    reset = try members.member("reset").flag()
    seen = try members.member("seen").text()
    upTo = try members.member("up_to").integer()
  }
}

extension JobPage {
  /// Reads the page.
  ///
  /// - Throws: ``JSONFault`` for anything else.
  package init(json bytes: [UInt8]) throws(JSONFault) {
    var members = try JSONReader.object(bytes)
    let jobs = try JobMessage.list(members.member("jobs"))
    self.init(jobs: jobs, next: try members.optional("next")?.text())
  }
}

extension LedgerIdentityMessage {
  fileprivate init(_ json: JSONNode) throws(JSONFault) {
    var members = try json.object()
    generation = try members.member("generation").integer()
    uuid = try members.member("uuid").text()
  }
}

extension CallerMessage {
  fileprivate init(_ json: JSONNode) throws(JSONFault) {
    var members = try json.object()
    if let uid = members.optional("uid") {
      guard let number = UInt32(exactly: try uid.integer()) else { throw uid.another("user id") }
      self.uid = number
    } else {
      self.uid = nil
    }
    user = try members.member("user").text()
  }
}

extension ChangesMessage.Event {
  fileprivate init(_ json: JSONNode) throws(JSONFault) {
    var members = try json.object()
    at = try members.member("at").time()
    by = if let caller = members.optional("by") { try CallerMessage(caller) } else { nil }
    destination = try members.optional("destination")?.text()
    event = try members.member("event").text()
    sequence = try members.member("id").integer()
    job = try members.optional("job")?.integer()
    message = try members.member("message").text()
    messageSaid = try members.optional("message_said")?.message()
    reason = try members.optional("reason")?.text()
    reasonSaid = try members.optional("reason_said")?.message()
    revision = try members.optional("revision")?.integer()
    spool = try members.optional("spool")?.text()
    step = try members.optional("step")?.text()
  }
}

extension ErrorMessage {
  fileprivate init(_ json: JSONNode) throws(JSONFault) {
    var members = try json.object()
    answer = try members.optional("answer")?.text()
    code = try members.optional("code")?.text()
    kind = try members.member("kind").value()
    message = try members.member("message").text()
    messageSaid = try members.optional("message_said")?.message()
    retryAfter = try members.optional("retry_after")?.double()
    status = try members.optional("status")?.int()
  }
}

extension HoldMessage {
  fileprivate init(_ json: JSONNode) throws(JSONFault) {
    var members = try json.object()
    by = if let caller = members.optional("by") { try CallerMessage(caller) } else { nil }
    destination = try members.member("destination").text()
    reason = try members.member("reason").text()
    since = try members.optional("since")?.time()
    until = try members.optional("until")?.time()
    words = try members.optional("words")?.text()
    wordsSaid = try members.optional("words_said")?.message()
  }
}

extension JobMessage {
  fileprivate static func list(_ json: JSONNode) throws(JSONFault) -> [JobMessage] {
    var jobs: [JobMessage] = []
    for job in try json.array() { jobs.append(try JobMessage(job)) }
    return jobs
  }

  private init(_ json: JSONNode) throws(JSONFault) {
    var members = try json.object()
    attempt = try members.member("attempt").int()
    createdAt = try members.member("created_at").time()
    destination = try members.optional("destination")?.text()
    disposedAt = try members.optional("disposed_at")?.time()
    error = if let error = members.optional("error") { try ErrorMessage(error) } else { nil }
    finishedAt = try members.optional("finished_at")?.time()
    groupFiles = try members.optional("group_files")?.int()
    heldBy = if let hold = members.optional("held_by") { try HoldMessage(hold) } else { nil }
    id = try members.member("id").text()
    job = try members.member("job").integer()
    link = try members.optional("link")?.text()
    name = try members.member("name").text()
    nameBase64 = try members.optional("name_base64")?.text()
    nextAttemptAt = try members.optional("next_attempt_at")?.time()
    path = try members.optional("path")?.text()
    phase = try members.member("phase").value()
    question = try members.optional("question")?.text()
    questionSaid = try members.optional("question_said")?.message()
    released = if let released = members.optional("released") { try Released(released) } else { nil }
    remote = try members.optional("remote")?.value()
    revision = try members.member("revision").integer()
    sameAs = try members.optional("same_as")?.integer()
    size = try members.member("size").integer()
    spool = try members.member("spool").text()
    state = try members.member("state").value()
    step = try members.member("step").value()
    updatedAt = try members.member("updated_at").time()
  }
}

extension JobMessage.Released {
  fileprivate init(_ json: JSONNode) throws(JSONFault) {
    var members = try json.object()
    by = try CallerMessage(try members.member("by"))
    to = try members.member("to").text()
  }
}

extension JSONNode {
  fileprivate func int() throws(JSONFault) -> Int { Int(try integer()) }

  fileprivate func time() throws(JSONFault) -> MessageTime {
    guard let time = Timestamp(rfc3339: try text()) else { throw another("time") }
    return MessageTime(time)
  }

  fileprivate func message() throws(JSONFault) -> Message { try Message(self) }

  /// Returns the value of which this is the raw value.
  fileprivate func value<Value: RawRepresentable<String>>() throws(JSONFault) -> Value {
    guard let value = Value(rawValue: try text()) else { throw another("\(Value.self)") }
    return value
  }
}
