package import Messages

extension StatusMessage {
  /// The state without anything that may name a file.
  public var withoutNames: StatusMessage {
    var status = self
    status.problems = problems.map(\.withoutNames)
    status.gates = gates.map(\.withoutNames)
    status.pauses = pauses.map(\.withoutNames)
    status.ledger = ledger?.withoutArguments
    status.transfers = []
    return status
  }
}

extension HoldMessage {
  /// The hold without its explanation.
  public var withoutNames: HoldMessage {
    var hold = self
    hold.words = nil
    return hold
  }
}

extension ProblemMessage {
  /// The problem without anything that could name a file or a spool: that there is one, and since when.
  public var withoutNames: ProblemMessage { ProblemMessage(what: .problemOnHost, since: since, remedy: .text("")) }
}

extension JobMessage {
  /// The job without its name, its path, its link and the arguments of its texts.
  public var withoutNames: JobMessage {
    var job = self
    (job.name, job.nameBase64, job.path, job.link, job.released) = ("…", nil, nil, nil, nil)
    job.heldBy = heldBy?.withoutNames
    job.question = question?.withoutWords
    if var error {
      error.message = error.message.withoutWords
      (error.code, error.answer) = (nil, nil)
      job.error = error
    }
    return job
  }
}

extension ChangesMessage {
  /// The changes without anything that may name a file.
  public var withoutNames: ChangesMessage {
    var changes = self
    changes.jobs = jobs.map(\.withoutNames)
    changes.events = events.map { event in
      var event = event
      event.message = event.message.withoutWords
      event.reason = event.reason?.withoutWords
      return event
    }
    return changes
  }
}

extension Message {
  /// The code alone; `…` for words that have none.
  package var withoutWords: Message { coded?.withoutArguments ?? .text("…") }
}
