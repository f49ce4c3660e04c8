import Credentials
import Delivery
import Reports
import Settings

extension CurrentProblems {
  /// Reads the keys, tokens and secrets in use, so that one that cannot be read is found even if no attempt needed it. Their
  /// readers set and clear the problems.
  func update(from stages: Stages, _ known: CredentialReaders) {
    let others = stages.configuration.webhooks.values.flatMap(\.secrets).map { known.reader($0) }
    let readers = stages.destinations.flatMap { stages.credentials(of: $0) }.map(\.reader) + others
    for reader in readers { _ = reader.canBeRead }
    keep(.credentials, only: Set(readers.map { "\($0.source)" }))
    keep(.spool, only: Set(stages.spools.keys))
  }
}
