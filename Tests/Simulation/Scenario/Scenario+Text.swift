extension Scenario: CustomStringConvertible {
  /// The scenario for a person who looks for the cause of a failure: one line for each thing.
  package var description: String {
    var lines = ["seed \(seed), trouble until \(troubleEnd), with \(features.map(\.rawValue).joined(separator: " "))"]
    for spool in configuration.spools {
      lines.append(
        "spool \(spool.name): \(spool.kind.rawValue), to \(spool.storage) and \(spool.backend)"
          + (spool.archives ? ", archives" : "") + (spool.hasPlainKeys ? ", plain keys" : ""))
    }
    let daemon = configuration.daemon
    lines.append(
      "daemon: concurrency \(daemon.concurrency.map(String.init) ?? "auto"), admits \(daemon.admitAhead), delays "
        + "\(daemon.delays), 503 \(daemon.retriesUnavailable ? "retries" : "aborts")")
    for side in servers.all { lines += side.lines }
    for moment in timeline { lines.append("\(moment.at): \(moment.action.words)") }
    for (index, crash) in crashes.enumerated() {
      lines.append(
        "life \(index + 1) ends at \(crash.moment), down for \(crash.pause)"
      )
    }
    return lines.joined(separator: "\n")
  }
}

extension Server {
  fileprivate var lines: [String] {
    var limits = ""
    if let most = trouble.mostAtOnce { limits += ", at most \(most) at once" }
    if let most = trouble.mostPerSecond { limits += ", at most \(most) a second" }
    let latency = trouble.latency
    var lines = ["\(host): \(latency.base) ± \(latency.spread), \(latency.tailPermille) ‰ to \(latency.tail)\(limits)"]
    if let options = storage?.options {
      lines.append("  conditions \(options.keepsConditions), checksums \(options.knowsChecksums)")
    }
    return lines + trouble.spells.map { "  \($0.from) to \($0.until): \($0.condition)" }
  }
}

extension Action {
  /// The action in a few words.
  package var words: String {
    switch self {
    case .drop(let drop): "drop \(drop.path), \(drop.size) bytes, \(drop.kind), \(drop.manner)"
    case .configure(let plan):
      "configure spools \(plan.spools.map { "\($0.name) to \($0.storage) and \($0.backend)" }), admits "
        + "\(plan.daemon.admitAhead), concurrency \(plan.daemon.concurrency.map(String.init) ?? "auto"), delays "
        + "\(plan.daemon.delays)"
    default: "\(self)"
    }
  }
}
