// Made by scripts/messages from Table/explain.txt.

extension Message {
  /// `it is the directory of spool {spool}`
  public static func isSpool(spool: String) -> Message {
    Message(code: "is-spool", ["spool": .text(spool)])
  }

  /// `name the files in it, or see waybill status`
  public static let nameFiles = Message(code: "name-files")

  /// `the spool is not read yet: the daemon is starting or stopping`
  public static let spoolNotRead = Message(code: "spool-not-read")

  /// `no file is taken: the intake was paused by {user} at {since}`
  public static func intakePaused(user: String, since: String) -> Message {
    Message(code: "intake-paused", ["user": .text(user), "since": .time(since)])
  }

  /// `no file is taken: the intake was paused since the ledger was lost at {since}`
  public static func intakePausedLost(since: String) -> Message {
    Message(code: "intake-paused-lost", ["since": .time(since)])
  }

  /// `no file is taken: the ledger cannot be written`
  public static let ledgerUnwritable = Message(code: "ledger-unwritable")

  /// `jobs of the spool that have not had their turn: {count}; further files wait from {most} on`
  public static func tooManyAhead(count: some BinaryInteger, most: some BinaryInteger) -> Message {
    Message(code: "too-many-ahead", ["count": .number(Int64(clamping: count)), "most": .number(Int64(clamping: most))])
  }

  /// `it is taken when some of them are done; waybill status tells what holds them`
  public static let takenWhenDone = Message(code: "taken-when-done")

  /// `it is job {job}: {why}`
  public static func isJob(job: some BinaryInteger, why: Message) -> Message {
    Message(code: "is-job", ["job": .number(Int64(clamping: job)), "why": .message(why)])
  }

  /// `it was registered as job {job}`
  public static func wasRegistered(job: some BinaryInteger) -> Message {
    Message(code: "was-registered", ["job": .number(Int64(clamping: job))])
  }

  /// `it was registered as job {job} at {at}`
  public static func wasRegisteredAt(job: some BinaryInteger, at: String) -> Message {
    Message(code: "was-registered-at", ["job": .number(Int64(clamping: job)), "at": .time(at)])
  }

  /// `it was not sent by job {job}: its bytes were sent before`
  public static func wasSkipped(job: some BinaryInteger) -> Message {
    Message(code: "was-skipped", ["job": .number(Int64(clamping: job))])
  }

  /// `it was not sent by job {job}: the same bytes as job {earlier}`
  public static func wasSkippedAs(job: some BinaryInteger, earlier: some BinaryInteger) -> Message {
    Message(
      code: "was-skipped-as", ["job": .number(Int64(clamping: job)), "earlier": .number(Int64(clamping: earlier))])
  }

  /// `job {job} was aborted`
  public static func wasAborted(job: some BinaryInteger) -> Message {
    Message(code: "was-aborted", ["job": .number(Int64(clamping: job))])
  }

  /// `job {job} was aborted: {why}`
  public static func wasAbortedFor(job: some BinaryInteger, why: Message) -> Message {
    Message(code: "was-aborted-for", ["job": .number(Int64(clamping: job)), "why": .message(why)])
  }

  /// `job {job} was cancelled`
  public static func wasCancelled(job: some BinaryInteger) -> Message {
    Message(code: "was-cancelled", ["job": .number(Int64(clamping: job))])
  }

  /// `job {job} was given back to {directory} by {user}`
  public static func wasGivenBack(job: some BinaryInteger, directory: String, user: String) -> Message {
    Message(
      code: "was-given-back",
      ["job": .number(Int64(clamping: job)), "directory": .text(directory), "user": .text(user)])
  }

  /// `job {job} was discarded, and its file stays where it is`
  public static func wasGivenUp(job: some BinaryInteger) -> Message {
    Message(code: "was-given-up", ["job": .number(Int64(clamping: job))])
  }

  /// `job {job} is over, and its file was deleted`
  public static func wasDeleted(job: some BinaryInteger) -> Message {
    Message(code: "was-deleted", ["job": .number(Int64(clamping: job))])
  }

  /// `job {job} has just ended`
  public static func hasJustEnded(job: some BinaryInteger) -> Message {
    Message(code: "has-just-ended", ["job": .number(Int64(clamping: job))])
  }

  /// `no spool has a file of this name, and no job either`
  public static let nowhere = Message(code: "nowhere")

  /// `it is not in a spool of this daemon`
  public static let inNoSpool = Message(code: "in-no-spool")

  /// `the spools are {paths}`
  public static func theSpoolsAre(paths: String) -> Message {
    Message(code: "the-spools-are", ["paths": .text(paths)])
  }

  /// `the spools are none`
  public static let theSpoolsAreNone = Message(code: "the-spools-are-none")

  /// `the spools are {paths}: move it there, or use waybill add`
  public static func moveToSpool(paths: String) -> Message {
    Message(code: "move-to-spool", ["paths": .text(paths)])
  }

  /// `there is no spool`
  public static let noSpool = Message(code: "no-spool")
}
