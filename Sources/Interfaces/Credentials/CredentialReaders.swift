import Synchronization

/// The readers of the credentials that a configuration names: one for each source and form, so that all share what was read of it.
package final class CredentialReaders: Sendable {
  private struct Identity: Hashable {
    let source: CredentialSource
    let form: Secret.Form
  }

  private let known = Mutex<[Identity: CredentialReader]>([:])
  private let notice: @Sendable (String) -> Void
  private let make: @Sendable (CredentialSource, Secret.Form) -> CredentialReader

  /// - Parameter notice: called once with something that an operator should know about the use of a credential.
  package init(
    notice: @escaping @Sendable (String) -> Void = { _ in },
    make: @escaping @Sendable (CredentialSource, Secret.Form) -> CredentialReader
  ) {
    self.notice = notice
    self.make = make
  }

  package func reader(_ source: CredentialSource, _ form: Secret.Form = .line) -> CredentialReader {
    known.withLock { known in
      let identity = Identity(source: source, form: form)
      if let reader = known[identity] { return reader }
      let reader = make(source, form)
      known[identity] = reader
      return reader
    }
  }

  package func certificate(_ source: ClientCertificate) -> LiveCertificate {
    LiveCertificate(source, notice: notice) { reader($0, $1) }
  }
}

/// One of a destination's keys, tokens and secrets.
public struct NamedCredential: Sendable {
  /// Its key in the configuration, e.g. `access_key`.
  public let key: String
  /// The reader of the credential.
  public let reader: CredentialReader
  /// True if it may be shown, as only the id of an access key may.
  public let isShown: Bool

  package init(key: String, reader: CredentialReader, isShown: Bool = false) {
    self.key = key
    self.reader = reader
    self.isShown = isShown
  }
}
