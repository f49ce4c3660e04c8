// Made by scripts/messages from Table/gates.txt.

extension Message {
  /// `{destination} is on hold: {why}`
  public static func onHold(destination: String, why: Message) -> Message {
    Message(code: "on-hold", ["destination": .text(destination), "why": .message(why)])
  }

  /// `{destination} is on hold`
  public static func onHoldAlone(destination: String) -> Message {
    Message(code: "on-hold-alone", ["destination": .text(destination)])
  }

  /// `{destination} is on hold: job {job} has a question about it`
  public static func onHoldAsking(destination: String, job: some BinaryInteger) -> Message {
    Message(code: "on-hold-asking", ["destination": .text(destination), "job": .number(Int64(clamping: job))])
  }

  /// `{destination} is in use again`
  public static func inUseAgain(destination: String) -> Message {
    Message(code: "in-use-again", ["destination": .text(destination)])
  }

  /// `{target} paused by {user}`
  public static func pausedBy(target: String, user: String) -> Message {
    Message(code: "paused-by", ["target": .text(target), "user": .text(user)])
  }

  /// `{target} resumed by {user}`
  public static func resumedBy(target: String, user: String) -> Message {
    Message(code: "resumed-by", ["target": .text(target), "user": .text(user)])
  }

  /// `{target} was paused already`
  public static func pausedAlready(target: String) -> Message {
    Message(code: "paused-already", ["target": .text(target)])
  }

  /// `{target} was not paused`
  public static func notPaused(target: String) -> Message {
    Message(code: "not-paused", ["target": .text(target)])
  }

  /// `{destinations} is tried at once`
  public static func triedAtOnce(destinations: String) -> Message {
    Message(code: "tried-at-once", ["destinations": .text(destinations)])
  }

  /// `{destination} has a question: waybill ask`
  public static func asks(destination: String) -> Message {
    Message(code: "asks", ["destination": .text(destination)])
  }

  /// `{resumed}; {tried}`
  public static func resumedAndTried(resumed: Message, tried: Message) -> Message {
    Message(code: "resumed-and-tried", ["resumed": .message(resumed), "tried": .message(tried)])
  }

  /// `service unavailable (503)`
  public static let gateUnavailable = Message(code: "gate-unavailable")

  /// `server errors or time-outs`
  public static let gateErrors = Message(code: "gate-errors")

  /// `too many requests (429)`
  public static let gateThrottled = Message(code: "gate-throttled")

  /// `its key was refused or cannot be read`
  public static let gateCredentials = Message(code: "gate-credentials")

  /// `it cannot be reached`
  public static let gateNetwork = Message(code: "gate-network")

  /// `it has a question`
  public static let gateQuestion = Message(code: "gate-question")

  /// `paused`
  public static let gatePaused = Message(code: "gate-paused")

  /// `it answered 503 (service unavailable)`
  public static let holdUnavailable = Message(code: "hold-unavailable")

  /// `it answers with server errors or not in time`
  public static let holdErrors = Message(code: "hold-errors")

  /// `it answered 429 (too many requests)`
  public static let holdThrottled = Message(code: "hold-throttled")

  /// `it asked for credentials, and none are configured`
  public static let noCredentials = Message(code: "no-credentials")

  /// `spool {spool} cannot be used yet`
  public static func spoolLate(spool: String) -> Message {
    Message(code: "spool-late", ["spool": .text(spool)])
  }

  /// `{target} is paused`
  public static func isPaused(target: String) -> Message {
    Message(code: "is-paused", ["target": .text(target)])
  }

  /// `{target} is paused by {user}`
  public static func isPausedBy(target: String, user: String) -> Message {
    Message(code: "is-paused-by", ["target": .text(target), "user": .text(user)])
  }

  /// `everything is paused`
  public static let allPaused = Message(code: "all-paused")

  /// `everything is paused by {user}`
  public static func allPausedBy(user: String) -> Message {
    Message(code: "all-paused-by", ["user": .text(user)])
  }

  /// `everything is on hold since the ledger was lost or restored`
  public static let allOnHold = Message(code: "all-on-hold")

  /// `{what} by {user}`
  public static func saidBy(what: Message, user: String) -> Message {
    Message(code: "said-by", ["what": .message(what), "user": .text(user)])
  }

  /// `a HEAD goes first: a job goes once that is answered`
  public static let headFirst = Message(code: "head-first")

  /// `GET {url} goes first: a job goes once that answers 2xx`
  public static func getFirst(url: String) -> Message {
    Message(code: "get-first", ["url": .text(url)])
  }

  /// `{way}; it last met: {why}`
  public static func lastMet(way: Message, why: Message) -> Message {
    Message(code: "last-met", ["way": .message(way), "why": .message(why)])
  }
}
