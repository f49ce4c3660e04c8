import Assembly
import ControlAPI
import Credentials
import Delivery
import Jobs
import Ledger

extension CommandService {
  /// The sources of keys and tokens, as the next attempt would read them.
  var credentials: CredentialList {
    let stages = self.stages
    let refused = Set(ledger.counts.gates.filter { $0.value.closure?.reason == .credentials }.keys)
    return CredentialList(
      credentials: stages.destinations.sorted().flatMap { destination in
        stages.credentials(of: destination).map {
          message($0, of: destination, isRefused: refused.contains(destination))
        }
      })
  }

  private func message(
    _ credential: NamedCredential, of destination: String, isRefused: Bool
  ) -> CredentialMessage {
    var id: String?
    var reason: String?
    do throws(CredentialError) {
      let secret = try credential.reader.read()
      if credential.isShown { id = secret.text }
    } catch {
      reason = "\(error)"
    }
    return CredentialMessage(
      destination: destination, key: credential.key, source: "\(credential.reader.source)", id: id,
      changesWhileRunning: credential.reader.source.changesWhileRunning, error: reason, isRefused: isRefused)
  }
}
