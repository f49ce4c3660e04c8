public import Jobs
public import Messages

extension HoldMessage {
  /// The thing on hold; nil if only another version of Waybill knows it.
  public var target: Pause.Target? { Pause.Target(name: destination) }

  /// A sentence for a person that names the thing on hold and the reason: `storage.main is on hold: its key was
  /// refused`.
  public var said: Message {
    switch target {
    case .recovered: .allOnHold
    case .late(let spool): .spoolLate(spool: spool)
    case .all where reason == "paused": .allPaused
    case _ where reason == "paused": .isPaused(target: destination)
    default: .onHold(destination: destination, why: cause)
    }
  }

  /// The command that ends the hold, or that shows how to.
  public var remedy: String {
    switch (reason, target) {
    case ("question", _): "waybill ask"
    case ("credentials", _): "waybill status --long"
    case (_, .all), (_, nil): "waybill resume"
    case (_, .recovered): "waybill resume --recovered"
    case (_, .intake): "waybill resume --intake"
    case (_, .spool(let name)): "waybill resume --spool \(name)"
    case (_, .destination(let destination)): "waybill resume --\(destination.kind.rawValue) \(destination.name)"
    case (_, .late): "waybill status"
    }
  }

  /// The form of a gate's next try, such as `a HEAD goes first`; nil if the next try is a job.
  public var wayOfNextTry: Message? {
    guard reason != "credentials", reason != "paused" else { return nil }
    return words?.changed { DisplayText.escape($0) }
  }

  package var cause: Message {
    switch reason {
    case "unavailable": .holdUnavailable
    case "gateway": .holdErrors
    case "throttled": .holdThrottled
    case "credentials": words?.changed { DisplayText.escape($0) } ?? .gateCredentials
    case "network": .gateNetwork
    case "question": .gateQuestion
    default: .text(DisplayText.escape(reason))
    }
  }
}
