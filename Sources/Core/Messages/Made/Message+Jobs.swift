// Made by scripts/messages from Table/jobs.txt.

extension Message {
  /// `{text}`
  public static func text(_ text: String) -> Message {
    Message(code: "text", ["text": .text(text)])
  }

  /// `{step} of {name} failed: {why}. Retry?`
  public static func stepQuestion(step: String, name: String, why: Message) -> Message {
    Message(code: "step-question", ["step": .text(step), "name": .text(name), "why": .message(why)])
  }

  /// `{step} of {name} failed. Retry?`
  public static func stepQuestionAlone(step: String, name: String) -> Message {
    Message(code: "step-question-alone", ["step": .text(step), "name": .text(name)])
  }

  /// `{step} of {name} deferred: {why}`
  public static func stepDeferred(step: String, name: String, why: Message) -> Message {
    Message(code: "step-deferred", ["step": .text(step), "name": .text(name), "why": .message(why)])
  }

  /// `{step} of {name} waits for a key: {why}`
  public static func stepAwaitsKey(step: String, name: String, why: Message) -> Message {
    Message(code: "step-awaits-key", ["step": .text(step), "name": .text(name), "why": .message(why)])
  }

  /// `{step} of {name} waits for the network: {why}`
  public static func stepAwaitsNetwork(step: String, name: String, why: Message) -> Message {
    Message(code: "step-awaits-network", ["step": .text(step), "name": .text(name), "why": .message(why)])
  }

  /// `{step} of {name} aborted: service unavailable (503)`
  public static func stepAborted(step: String, name: String) -> Message {
    Message(code: "step-aborted", ["step": .text(step), "name": .text(name)])
  }

  /// `{step} of {name} cancelled by {user}`
  public static func stepCancelled(step: String, name: String, user: String) -> Message {
    Message(code: "step-cancelled", ["step": .text(step), "name": .text(name), "user": .text(user)])
  }

  /// `{step} of {name} confirmed by {user}`
  public static func stepConfirmed(step: String, name: String, user: String) -> Message {
    Message(code: "step-confirmed", ["step": .text(step), "name": .text(name), "user": .text(user)])
  }

  /// `{step} of {name} retried by {user}`
  public static func stepRetried(step: String, name: String, user: String) -> Message {
    Message(code: "step-retried", ["step": .text(step), "name": .text(name), "user": .text(user)])
  }

  /// `not sent: the bytes were sent before`
  public static let manySkipped = Message(code: "many-skipped")

  /// `{step} failed: {why}`
  public static func manyFailed(step: String, why: Message) -> Message {
    Message(code: "many-failed", ["step": .text(step), "why": .message(why)])
  }

  /// `{step} deferred: {why}`
  public static func manyDeferred(step: String, why: Message) -> Message {
    Message(code: "many-deferred", ["step": .text(step), "why": .message(why)])
  }

  /// `{step} waits for a key: {why}`
  public static func manyAwaitKey(step: String, why: Message) -> Message {
    Message(code: "many-await-key", ["step": .text(step), "why": .message(why)])
  }

  /// `{step} waits for the network: {why}`
  public static func manyAwaitNetwork(step: String, why: Message) -> Message {
    Message(code: "many-await-network", ["step": .text(step), "why": .message(why)])
  }

  /// `{step} aborted: service unavailable (503)`
  public static func manyAborted(step: String) -> Message {
    Message(code: "many-aborted", ["step": .text(step)])
  }

  /// `1 more file: {what}`
  public static func moreFile(what: Message) -> Message {
    Message(code: "more-file", ["what": .message(what)])
  }

  /// `{count} more files: {what}`
  public static func moreFiles(count: some BinaryInteger, what: Message) -> Message {
    Message(code: "more-files", ["count": .number(Int64(clamping: count)), "what": .message(what)])
  }

  /// `{count} more files, for example: {what}`
  public static func moreFilesExample(count: some BinaryInteger, what: Message) -> Message {
    Message(code: "more-files-example", ["count": .number(Int64(clamping: count)), "what": .message(what)])
  }

  /// `1 more problem: {what}`
  public static func moreProblem(what: Message) -> Message {
    Message(code: "more-problem", ["what": .message(what)])
  }

  /// `{count} more problems: {what}`
  public static func moreProblems(count: some BinaryInteger, what: Message) -> Message {
    Message(code: "more-problems", ["count": .number(Int64(clamping: count)), "what": .message(what)])
  }

  /// `{count} more problems, for example: {what}`
  public static func moreProblemsExample(count: some BinaryInteger, what: Message) -> Message {
    Message(code: "more-problems-example", ["count": .number(Int64(clamping: count)), "what": .message(what)])
  }

  /// `unknown reason`
  public static let unknownReason = Message(code: "unknown-reason")

  /// `why is not known any more`
  public static let reasonNotKnown = Message(code: "reason-not-known")

  /// `{name} admitted as job {job}`
  public static func admitted(name: String, job: some BinaryInteger) -> Message {
    Message(code: "admitted", ["name": .text(name), "job": .number(Int64(clamping: job))])
  }

  /// `{name} uploaded`
  public static func uploaded(name: String) -> Message {
    Message(code: "uploaded", ["name": .text(name)])
  }

  /// `{name} uploaded and registered`
  public static func registered(name: String) -> Message {
    Message(code: "registered", ["name": .text(name)])
  }

  /// `{name} not sent: its bytes were sent before`
  public static func skipped(name: String) -> Message {
    Message(code: "skipped", ["name": .text(name)])
  }

  /// `{name} not sent: the same bytes as job {job}`
  public static func skippedAs(name: String, job: some BinaryInteger) -> Message {
    Message(code: "skipped-as", ["name": .text(name), "job": .number(Int64(clamping: job))])
  }

  /// `{name} released by {user}`
  public static func released(name: String, user: String) -> Message {
    Message(code: "released", ["name": .text(name), "user": .text(user)])
  }

  /// `{name} discarded by {user}`
  public static func discarded(name: String, user: String) -> Message {
    Message(code: "discarded", ["name": .text(name), "user": .text(user)])
  }

  /// `{name} queued for {step}`
  public static func queuedFor(name: String, step: String) -> Message {
    Message(code: "queued-for", ["name": .text(name), "step": .text(step)])
  }

  /// `Nothing of {name} is left at {destination}`
  public static func nothingLeft(name: String, destination: String) -> Message {
    Message(code: "nothing-left", ["name": .text(name), "destination": .text(destination)])
  }

  /// `The object of {name} is left at {destination}`
  public static func objectLeft(name: String, destination: String) -> Message {
    Message(code: "object-left", ["name": .text(name), "destination": .text(destination)])
  }

  /// `The object of {name} may be left at {destination}: {why}`
  public static func objectMayBeLeft(name: String, destination: String, why: Message) -> Message {
    Message(code: "object-may-be-left", ["name": .text(name), "destination": .text(destination), "why": .message(why)])
  }

  /// `The object {key} of job {job} stays at {destination}`
  public static func objectOfJobLeft(key: String, job: some BinaryInteger, destination: String) -> Message {
    Message(
      code: "object-of-job-left",
      ["key": .text(key), "job": .number(Int64(clamping: job)), "destination": .text(destination)])
  }

  /// `The object {key} of job {job} may be left at {destination}: {why}`
  public static func objectOfJobMayBeLeft(key: String, job: some BinaryInteger, destination: String, why: Message)
    -> Message
  {
    Message(
      code: "object-of-job-may-be-left",
      [
        "key": .text(key), "job": .number(Int64(clamping: job)), "destination": .text(destination),
        "why": .message(why),
      ])
  }

  /// `1 file was claimed before the ledger was lost or restored; its answer may be lost, so nothing is claimed or sent. Look at the jobs first (waybill list), then: waybill resume --recovered`
  public static let recoveredOne = Message(code: "recovered-one")

  /// `{count} files were claimed before the ledger was lost or restored; their answers may be lost, so nothing is claimed or sent. Look at the jobs first (waybill list), then: waybill resume --recovered`
  public static func recoveredMany(count: some BinaryInteger) -> Message {
    Message(code: "recovered-many", ["count": .number(Int64(clamping: count))])
  }

  /// `job {job} is about {name} too, and goes first`
  public static func fileOfAnotherJob(job: some BinaryInteger, name: String) -> Message {
    Message(code: "file-of-another-job", ["job": .number(Int64(clamping: job)), "name": .text(name)])
  }

  /// `{name} may have been sent before: the list of sent files was lost`
  public static func mayHaveBeenSent(name: String) -> Message {
    Message(code: "may-have-been-sent", ["name": .text(name)])
  }

  /// `{name} is on a medium that is not there now`
  public static func inPlaceAway(name: String) -> Message {
    Message(code: "in-place-away", ["name": .text(name)])
  }

  /// `the file was never moved: it is at {path}; discard the job instead`
  public static func fileInPlace(path: String) -> Message {
    Message(code: "file-in-place", ["path": .text(path)])
  }
}
