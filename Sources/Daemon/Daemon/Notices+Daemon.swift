import ControlAPI
import HTTPTransfer
import Jobs
import Ledger
import Reports

extension Notices.Parts {
  /// The parts of a daemon that its notices need.
  init(
    problems: CurrentProblems, journal: EventLog, builder: ConfigurationBuilder, ledger: JobLedger
  ) {
    let shared = builder.shared
    let ping = CurrentProblems.Key(area: .notices, subject: Notices.ping)
    self.init(
      clock: shared.clock, machine: shared.machine, host: shared.host, userAgent: "waybill/\(Daemon.version)",
      open: { try Transport(on: shared.machine) },
      reader: { builder.reader($0) },
      look: {
        let current = problems.current
        // A ping cannot report that pings fail.
        let told = current.filter { $0.key != ping }.map(\.message.what)
        return Notices.Condition(
          trouble: told + ledger.counts.trouble,
          problems: Dictionary(uniqueKeysWithValues: current.map { ($0.number, $0.message) }))
      },
      standing: {
        await DailySummary.Standing(of: ledger, problems: problems, clock: shared.clock) { journal.notice($0) }
      },
      unheard: { receiver, words in
        let key = CurrentProblems.Key(area: .notices, subject: receiver)
        guard let words else {
          problems.clear(key)
          return journal.notice("\(receiver): what failed is over")
        }
        journal.notice("\(receiver): \(words)")
        problems.set(key, words, remedy: "see \(receiver) in waybill.toml, and whether its receiver is up")
      })
  }
}

extension LedgerCounts {
  /// All that a person has to act on or should know, as sentences. A gate that is closed because of too many requests does not
  /// count.
  var trouble: [String] {
    var words = closedGates.filter { ![.throttled, .paused].contains($0.reason) }.map {
      "\($0.target.name) is on hold: \($0.reason.words)"
    }
    if isPaused(.recovered) {
      words.append("nothing is sent since the ledger was lost or restored: waybill resume --recovered")
    }
    func add(_ state: JobState, _ one: String, _ many: String) {
      let count = jobs[state]
      if count > 0 { words.append(count == 1 ? "1 \(one)" : "\(count) \(many)") }
    }
    add(.awaitingConfirmation, "question is waiting: waybill ask", "questions are waiting: waybill ask")
    add(.aborted, "job was aborted: waybill retry --state aborted", "jobs were aborted: waybill retry --state aborted")
    return words
  }
}
