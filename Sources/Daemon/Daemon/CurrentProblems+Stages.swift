import Credentials
import Delivery
import Reports

extension CurrentProblems {
  /// Reads the keys, tokens and secrets in use, so that one that cannot be read is found even if no attempt needed it. Their
  /// readers set and clear the problems.
  ///
  /// - Parameter others: the readers that no stage uses.
  func look(at stages: Stages, and others: [CredentialReader]) {
    let readers = stages.destinations.flatMap { stages.credentials(of: $0) }.map(\.reader) + others
    for reader in readers { _ = reader.canBeRead }
    keep(.credentials, only: Set(readers.map { "\($0.source)" }))
    keep(.clock, only: Set(stages.storages.keys))
    keep(.spool, only: Set(stages.spools.keys))
  }
}
