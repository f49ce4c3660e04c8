import ControlAPI
import Credentials
import Delivery
import HTTPTransfer
import Jobs
import Messages
import Reports
import Settings

extension Notices {
  /// Creates the sender of a daemon.
  convenience init(
    _ webhooks: [String: WebhookSettings], problems: CurrentProblems, journal: EventLog, builder: ConfigurationBuilder
  ) throws {
    let shared = builder.shared
    try self.init(
      webhooks, clock: shared.clock, on: shared.machine, host: shared.host, userAgent: "waybill/\(Daemon.version)",
      open: { try Transport(on: shared.machine) },
      reader: { builder.readers.reader($0) },
      problems: { Dictionary(uniqueKeysWithValues: problems.current.map { ($0.number, $0.message) }) },
      unheard: { receiver, message in
        let key = CurrentProblems.Key(area: .notices, subject: receiver)
        journal.notice("\(receiver): " + (message?.text ?? "what failed is over"))
        problems.set(key, message, remedy: .seeReceiver(receiver: receiver))
      })
  }
}

extension CurrentProblems {
  /// Reads the keys, tokens and secrets in use, so that one that cannot be read is found even if no attempt needed it. Their
  /// readers set and clear the problems.
  func look(at stages: Stages, _ known: CredentialReaders) {
    let others = stages.configuration.webhooks.values.flatMap(\.secrets).map { known.reader($0) }
    let readers = stages.destinations.flatMap { stages.credentials(of: $0) }.map(\.reader) + others
    for reader in readers { _ = reader.canBeRead }
    keep(.credentials, only: Set(readers.map { "\($0.source)" }))
    keep(.spool, only: Set(stages.spools.keys))
  }
}
