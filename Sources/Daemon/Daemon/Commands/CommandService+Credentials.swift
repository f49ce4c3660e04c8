import ControlAPI
import Credentials
import Delivery
import Jobs
import Ledger
import Messages

extension CommandService {
  /// Returns the sources of keys and tokens, as the next attempt would read them.
  func credentials() -> CredentialList {
    let stages = self.stages
    let refused = Set(ledger.counts.gates.filter { $0.value.closure?.reason == .credentials }.keys)
    return CredentialList(
      credentials: stages.destinations.sorted().flatMap { destination in
        stages.credentials(of: destination).map {
          message($0, of: destination, isRefused: refused.contains(destination))
        }
      },
      missing: refused.filter { stages.isConfigured($0) && stages.credentials(of: $0).isEmpty }.map(\.text).sorted())
  }

  /// The reason why a destination's keys are of no use, if it is not that they were refused.
  func lackOfKeys(at destination: Destination) -> Message? {
    let stages = self.stages
    guard stages.isConfigured(destination) else { return nil }
    let credentials = stages.credentials(of: destination)
    if credentials.isEmpty { return .noCredentials }
    return credentials.lazy.compactMap(\.reader.lastError?.message).first
  }

  private func message(
    _ credential: NamedCredential, of destination: Destination, isRefused: Bool
  ) -> CredentialMessage {
    var id: String?
    var reason: Message?
    do throws(CredentialError) {
      let secret = try credential.reader.read()
      if credential.isShown { id = secret.text }
    } catch {
      reason = error.whole
    }
    return CredentialMessage(
      destination: destination.text, key: credential.key, source: credential.reader.source.words, id: id,
      expiresAt: credential.reader.expires,
      changesWhileRunning: credential.reader.source.changesWhileRunning, error: reason, isRefused: isRefused)
  }
}
