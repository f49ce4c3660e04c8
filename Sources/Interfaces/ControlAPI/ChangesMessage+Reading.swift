import Jobs
import Messages

extension ChangesMessage {
  /// Reads the answer in the form in which ``json()`` writes it; nil for any other form, which ``ControlJSON`` may read. The
  /// fleet's agent reads every job of a busy host.
  public init?(written bytes: [UInt8]) {
    var reader = JSONTextReader(bytes)
    do throws(JSONTextReader.OtherForm) {
      self = try reader.object { reader throws(JSONTextReader.OtherForm) in try ChangesMessage(from: &reader) }
    } catch {
      return nil
    }
    guard reader.isAtEnd else { return nil }
  }

  private init(from reader: inout JSONTextReader) throws(JSONTextReader.OtherForm) {
    try reader.member("all")
    all = try reader.flag()
    try reader.member("events")
    events = try reader.array { reader throws(JSONTextReader.OtherForm) in
      try reader.object { reader throws(JSONTextReader.OtherForm) in try Event(from: &reader) }
    }
    try reader.member("gone")
    gone = try reader.array { reader throws(JSONTextReader.OtherForm) in try reader.number() }
    try reader.member("jobs")
    jobs = try JobMessage.list(from: &reader)
    try reader.member("last")
    last = try reader.number()
    try reader.member("ledger")
    ledger = try reader.decoded(LedgerIdentityMessage.self)
    try reader.member("more")
    more = try reader.flag()
    try reader.member("reset")
    reset = try reader.flag()
    try reader.member("seen")
    seen = try reader.text()
    try reader.member("up_to")
    upTo = try reader.number()
  }
}

extension JobPage {
  /// Reads the page in the form in which ``json()`` writes it; nil for any other form, which ``ControlJSON`` may read.
  public init?(written bytes: [UInt8]) {
    var reader = JSONTextReader(bytes)
    do throws(JSONTextReader.OtherForm) {
      self = try reader.object { reader throws(JSONTextReader.OtherForm) in
        try reader.member("jobs")
        let jobs = try JobMessage.list(from: &reader)
        return JobPage(jobs: jobs, next: try reader.hasValue("next") ? reader.text() : nil)
      }
    } catch {
      return nil
    }
    guard reader.isAtEnd else { return nil }
  }
}

extension CallerMessage {
  fileprivate init(from reader: inout JSONTextReader) throws(JSONTextReader.OtherForm) {
    self = try reader.object { reader throws(JSONTextReader.OtherForm) in
      var uid: UInt32?
      if try reader.hasValue("uid") {
        guard let number = UInt32(exactly: try reader.number()) else { throw JSONTextReader.OtherForm() }
        uid = number
      }
      try reader.member("user")
      var caller = CallerMessage(user: try reader.text())
      caller.uid = uid
      return caller
    }
  }
}

extension ChangesMessage.Event {
  /// Reads the members that it has.
  fileprivate init(from reader: inout JSONTextReader) throws(JSONTextReader.OtherForm) {
    try reader.member("at")
    at = try reader.time()
    by = try reader.hasValue("by") ? CallerMessage(from: &reader) : nil
    destination = try reader.hasValue("destination") ? reader.text() : nil
    try reader.member("event")
    event = try reader.text()
    try reader.member("id")
    sequence = try reader.number()
    job = try reader.hasValue("job") ? reader.number() : nil
    try reader.member("message")
    message = try reader.text()
    messageSaid = try reader.hasValue("message_said") ? reader.message() : nil
    reason = try reader.hasValue("reason") ? reader.text() : nil
    reasonSaid = try reader.hasValue("reason_said") ? reader.message() : nil
    revision = try reader.hasValue("revision") ? reader.number() : nil
    spool = try reader.hasValue("spool") ? reader.text() : nil
    step = try reader.hasValue("step") ? reader.text() : nil
  }
}

extension JobMessage {
  fileprivate static func list(from reader: inout JSONTextReader) throws(JSONTextReader.OtherForm) -> [JobMessage] {
    try reader.array { reader throws(JSONTextReader.OtherForm) in
      try reader.object { reader throws(JSONTextReader.OtherForm) in try JobMessage(from: &reader) }
    }
  }

  /// Reads every member; an absent value is null.
  private init(from reader: inout JSONTextReader) throws(JSONTextReader.OtherForm) {
    try reader.member("attempt")
    attempt = Int(try reader.number())
    try reader.member("created_at")
    createdAt = try reader.time()
    destination = try reader.hasValue("destination") ? reader.text() : nil
    disposedAt = try reader.hasValue("disposed_at") ? reader.time() : nil
    error = try reader.hasValue("error") ? reader.decoded(ErrorMessage.self) : nil
    finishedAt = try reader.hasValue("finished_at") ? reader.time() : nil
    groupFiles = try reader.hasValue("group_files") ? Int(reader.number()) : nil
    heldBy = try reader.hasValue("held_by") ? reader.decoded(HoldMessage.self) : nil
    try reader.member("id")
    id = try reader.text()
    try reader.member("job")
    job = try reader.number()
    link = try reader.hasValue("link") ? reader.text() : nil
    try reader.member("name")
    name = try reader.text()
    nameBase64 = try reader.hasValue("name_base64") ? reader.text() : nil
    nextAttemptAt = try reader.hasValue("next_attempt_at") ? reader.time() : nil
    path = try reader.hasValue("path") ? reader.text() : nil
    question = try reader.hasValue("question") ? reader.text() : nil
    questionSaid = try reader.hasValue("question_said") ? reader.message() : nil
    remote = try reader.hasValue("remote") ? reader.value(Remote.self) : nil
    try reader.member("revision")
    revision = try reader.number()
    try reader.member("size")
    size = try reader.number()
    try reader.member("spool")
    spool = try reader.text()
    try reader.member("state")
    state = try reader.value(JobState.self)
    try reader.member("step")
    step = try reader.value(Step.self)
    try reader.member("updated_at")
    updatedAt = try reader.time()
  }
}
