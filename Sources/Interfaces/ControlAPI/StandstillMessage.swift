public import Jobs
import Messages

extension StandstillMessage {
  /// Creates the message of a job's standstill, with the pause or gate behind it.
  public init(_ standstill: Standstill, of job: Job, hold: HoldMessage?, clockOffset: Duration) {
    let words = StandstillWords(job: job, hold: hold, clockOffset: clockOffset)
    let (ends, until): (Ends, Timestamp?) =
      switch standstill.end {
      case .time(let time): (.time, time + clockOffset)
      case .event: (.event, nil)
      case .person: (.person, nil)
      case .nothing: (.nothing, nil)
      }
    self.init(
      reason: standstill.name, message: words.sentence(standstill), ends: ends, until: until,
      remedy: words.remedy(standstill))
  }
}

private struct StandstillWords {
  let job: Job
  let hold: HoldMessage?
  let clockOffset: Duration

  private var step: String { job.step.rawValue }
  private var failure: Message { (job.failure?.message ?? .unknownReason).changed { DisplayText.escape($0) } }

  func sentence(_ standstill: Standstill) -> Message {
    switch standstill {
    case .inFlight: .inFlight(step: step)
    case .ready: .beginsNext(step: step)
    case .slots: .slotsInUse
    case .rate(let rate, let count):
      .waitsForRate(destination: job.destination.text, rate: TokenBucket.text(rate), count: count)
    case .deferred(let time):
      job.failure == nil ? .triedAgainAt(at: shown(time)) : .triedAgainAtFor(at: shown(time), why: failure)
    case .gateClosed(_, let time): waiting(nextTry(shown(time)))
    case .probing(_, let other): waiting(inWay(.probing(hold: sentence(of: hold), job: other.rawValue)))
    case .asking(_, let other):
      .onHoldAsking(destination: hold?.destination ?? job.destination.text, job: other.rawValue)
    case .paused: sentence(of: hold)
    case .question:
      .hasQuestion(question: (job.question?.message ?? .text("")).changed { DisplayText.escape($0) })
    case .cleanup(let inner): .cleanupFirst(what: cleanup(inner))
    case .unconfigured: .aboutToAsk(destination: job.destination.text)
    case .ledgerIsFull: .ledgerDiskFull
    case .stopping: .goesOnAfterStart
    case .nothingEndsIt: .nothingEndsIt
    }
  }

  func remedy(_ standstill: Standstill) -> Message? {
    let number = job.number.rawValue
    switch standstill {
    case .inFlight, .ready, .slots, .rate, .probing, .unconfigured, .stopping: return nil
    case .deferred: return job.state == .deferred ? .command(command: "waybill retry \(number)") : nil
    case .gateClosed, .paused: return (hold?.remedy).map { .command(command: $0) }
    case .asking(_, let other): return Self.answer(other.rawValue)
    case .question: return Self.answer(number)
    case .cleanup(let inner): return remedy(inner)
    case .ledgerIsFull, .nothingEndsIt: return .command(command: "waybill status")
    }
  }

  private static func answer(_ number: Int64) -> Message {
    .commandOr(command: "waybill confirm \(number)", other: "waybill cancel \(number)")
  }

  /// The reason of the gate, with the time of its next try and the event upon which it probes at once. The job's own trouble
  /// follows it.
  private func nextTry(_ time: String) -> Message {
    let next = inWay(.nextTry(hold: sentence(of: hold), at: time))
    return switch hold?.reason {
    case Gate.Reason.credentials.rawValue: .orAnotherKey(what: next)
    case Gate.Reason.network.rawValue: .orNetworkChange(what: next)
    default: next
    }
  }

  /// Adds the form of the next try, if it is no job.
  private func inWay(_ what: Message) -> Message { hold?.wayOfNextTry.map { .inWay(what: what, way: $0) } ?? what }

  /// Adds the job's own wait, if the job itself met a refused key or found no network.
  private func waiting(_ what: Message) -> Message {
    switch job.state {
    case .awaitingCredentials: .awaitsWorkingKey(what: what, why: failure)
    case .awaitingNetwork: .awaitsNetwork(what: what, why: failure)
    case .queued, .active, .deferred, .awaitingConfirmation, .registered, .skipped, .aborted, .cancelled, .discarded:
      what
    }
  }

  private func sentence(of hold: HoldMessage?) -> Message {
    guard let hold else { return .onHoldAlone(destination: job.destination.text) }
    guard let by = hold.by, hold.target != .recovered else { return hold.said }
    return .saidBy(what: hold.said, user: DisplayText.escape(by.user))
  }

  private func cleanup(_ standstill: Standstill) -> Message {
    switch standstill {
    case .inFlight: .cleanupInFlight
    case .ready: .cleanupBegins
    case .deferred(let time): .cleanupNextTry(at: shown(time))
    default: sentence(standstill)
    }
  }

  private func shown(_ time: Timestamp) -> String { (time + clockOffset).rfc3339 }
}
