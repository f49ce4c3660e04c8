import Jobs
package import Messages

extension ChangesMessage {
  /// The answer as JSON, the same as ``ControlJSON/encode(_:)`` makes it, at a tenth of the cost: the fleet's agent asks for
  /// every job of a busy host.
  ///
  /// - Throws: an error of the encoder, for the parts that few jobs have.
  public func json() throws -> [UInt8] {
    var text = JSONText()
    let rare = try jobs.map { try RareMembers($0) }
    let head = try ControlJSON.encode(ledger)
    text.object { text in
      text.member("all", all)
      text.member("events", array: { text in for event in events { text.object { event.write(into: &$0) } } })
      text.member("gone", array: { text in for number in gone { text.value(number) } })
      text.member("jobs", array: { JobMessage.write(jobs, rare, into: &$0) })
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
    let rare = try jobs.map { try RareMembers($0) }
    text.object { text in
      text.member("jobs", array: { JobMessage.write(jobs, rare, into: &$0) })
      text.member("next", next)
    }
    return text.bytes
  }
}

/// The holds and failures of a job, which are rare, as the encoder writes them.
private struct RareMembers {
  var error: [UInt8]?
  var heldBy: [UInt8]?

  init(_ job: JobMessage) throws {
    error = try job.error.map { try ControlJSON.encode($0) }
    heldBy = try job.heldBy.map { try ControlJSON.encode($0) }
  }
}

extension ChangesMessage.Event {
  /// Writes the members that it has.
  fileprivate func write(into text: inout JSONText) {
    text.member("at", at)
    if let by {
      text.member("by", object: { by.write(into: &$0) })
    } else {
      text.member("by", json: nil)
    }
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
  /// Writes the values of an array.
  fileprivate static func write(_ jobs: [JobMessage], _ rare: [RareMembers], into text: inout JSONText) {
    for (job, rare) in zip(jobs, rare) { text.object { job.write(into: &$0, rare) } }
  }

  /// Writes every member; an absent value is null.
  private func write(into text: inout JSONText, _ rare: RareMembers) {
    text.member("attempt", Int64(attempt))
    text.member("created_at", createdAt)
    text.member("destination", destination)
    text.member("disposed_at", disposedAt)
    text.member("error", json: rare.error)
    text.member("finished_at", finishedAt)
    text.member("group_files", groupFiles.map(Int64.init))
    text.member("held_by", json: rare.heldBy)
    text.member("id", id)
    text.member("job", job)
    text.member("link", link)
    text.member("name", name)
    text.member("name_base64", nameBase64)
    text.member("next_attempt_at", nextAttemptAt)
    text.member("path", path)
    text.member("phase", state.phase.rawValue)
    text.member("question", question)
    text.member("question_said", questionSaid)
    if let released {
      text.member(
        "released",
        object: { text in
          text.member("by", object: { released.by.write(into: &$0) })
          text.member("to", released.to)
        })
    } else {
      text.member("released", json: nil)
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
    guard let time else { return member(name, json: nil) }
    member(name, unescaped: { time.timestamp.rfc3339MillisecondCharacters.append(to: &$0) })
  }
}
