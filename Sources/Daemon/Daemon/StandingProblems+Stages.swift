import Credentials
import Delivery
import Reports

extension StandingProblems {
  /// Reads the keys, tokens and secrets that are in use, so that one is noticed that no attempt has needed meanwhile. Those who
  /// read them tell what they find.
  ///
  /// `others` are those that no stage uses.
  func look(at stages: Stages, and others: [CredentialReader]) {
    let readers = stages.destinations.flatMap { stages.credentials(of: $0) }.map(\.reader) + others
    for reader in readers { _ = reader.canBeRead }
    keep(.credentials, only: Set(readers.map { "\($0.source)" }))
    keep(.clock, only: Set(stages.storages.keys))
    keep(.spool, only: Set(stages.spools.keys))
  }
}
