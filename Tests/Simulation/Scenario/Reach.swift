package import Jobs

/// The places and combinations that the seeds of `make simulate` must reach, by name. One that they miss is a hole in the scenarios.
package enum Reach {
  /// All of them. A job without a destination stands still only until the next commit, so no look finds it.
  package static var all: [String] {
    let commands = Action.Command.allCases.flatMap { command in
      Gate.Reason.allCases.filter { $0 != .paused }
        .flatMap { [Self.command(command, at: $0), Self.command(command, at: $0, isOfGrant: true)] }
    }
    let ends = ["registered", "skipped", "cancelled", "discarded"].flatMap { state in
      ["delete", "archive", "keep"].map { end(state, after: $0) }
    }
    let standstills = [
      "in-flight", "slots", "time", "gate", "probe", "asked", "paused", "question", "cleanup", "ledger", "stopping",
    ]
    let verdicts = ["abort", "retry", "wait", "ask", "requeue", "await-credentials", "await-network"]
    return commands + ends + standstills.map(standstill) + verdicts.map(restart(after:))
      + ["file", "sidecar", "group", "in-place"].map(crash(with:)) + Place.allCases.map(\.rawValue)
  }

  /// What is no combination.
  package enum Place: String, CaseIterable, Sendable {
    case fullSpool = "a claim for which the disk has no room"
    case damagedRow = "a damaged row of the ledger"
    case malformed = "a malformed request"
    case wrongRevision = "a request about another revision of its job"
    case callerGone = "a caller who is gone before the answer"
    case newKey = "a new key that a gate waited for"
  }

  /// A command of a person about a job whose gate is closed.
  package static func command(
    _ command: Action.Command, at reason: Gate.Reason, isOfGrant: Bool = false
  ) -> String {
    "\(command.rawValue) while a gate is closed: \(reason.rawValue)\(isOfGrant ? ", before an upload is granted" : "")"
  }

  /// The end of a job in a spool with an `after`.
  package static func end(_ state: String, after: String) -> String { "\(state) with after = \(after)" }

  package static func standstill(_ name: String) -> String { "a standstill: \(name)" }

  /// A restart while a job is where a verdict has put it.
  package static func restart(after verdict: String) -> String { "a restart after \(verdict)" }

  /// A kill while a job with such a parcel has not ended.
  package static func crash(with parcel: String) -> String { "a crash with \(parcel)" }
}
