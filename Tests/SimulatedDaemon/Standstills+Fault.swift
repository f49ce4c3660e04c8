import Jobs

extension Standstills {
  /// Returns what is wrong with the reasons at a moment at which nothing can be done before the clock goes on; nil if each ends by
  /// itself, or names a person.
  func fault(longest: Duration, isAsked: (Destination) -> Bool) -> String? {
    for (job, standstill) in jobs {
      if let fault = fault(standstill, of: job.number, at: job.destination, longest, isAsked) {
        return "job \(job.number) is \(job.state.rawValue) at \(job.destination) (\(standstill)): \(fault)"
      }
    }
    // What is owed at a storage that left the configuration waits until somebody puts it back.
    for (cleanup, standstill) in cleanups where standstill != .unconfigured {
      if let fault = fault(standstill, of: cleanup.job, at: cleanup.destination, longest, isAsked) {
        return "the cleanup of job \(cleanup.job) is owed at \(cleanup.destination) (\(standstill)): \(fault)"
      }
    }
    if let destination = unserved.first {
      return
        "the gate of \(destination) waits for what does not come: \(gates[destination].map { "\($0.state)" } ?? "")"
    }
    for (destination, gate) in gates.sorted(by: { $0.key < $1.key }) {
      guard let until = gate.nextTry else { continue }
      if until <= steady, !beginsNothing { return "the gate of \(destination) waits for a time that has passed" }
      if until - steady > longest { return "the gate of \(destination) waits for \(until - steady)" }
    }
    return nil
  }

  private func fault(
    _ standstill: Standstill, of job: JobNumber, at destination: Destination, _ longest: Duration,
    _ isAsked: (Destination) -> Bool
  ) -> String? {
    switch standstill {
    case .inFlight:
      if !isAtWork(job) { return "nobody works on it" }
      return isAsked(destination) ? nil : "it has no request in flight"
    case .ready: return "nothing holds it, and it does not begin"
    case .unconfigured: return isReloading ? nil : "it is not asked about"
    case .deferred(let time), .gateClosed(_, let time):
      return time - steady > longest ? "that is in \(time - steady)" : nil
    case .cleanup(let inner): return fault(inner, of: job, at: destination, longest, isAsked)
    case .nothingEndsIt: return "nothing ends that"
    case .slots, .rate, .probing, .asking, .paused, .question, .ledgerIsFull, .stopping: return nil
    }
  }
}
