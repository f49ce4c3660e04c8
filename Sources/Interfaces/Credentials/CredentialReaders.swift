/// Finds the readers of the keys, tokens and secrets that a destination's settings name.
package struct CredentialReaders: Sendable {
  private let notice: @Sendable (String) -> Void
  private let find: @Sendable (CredentialSource, Secret.Form) -> CredentialReader

  /// - Parameters:
  ///   - notice: called once with something that an operator should know about the use of a credential.
  ///   - find: returns the reader of a credential, the same one for the same source and form.
  package init(
    notice: @escaping @Sendable (String) -> Void = { _ in },
    find: @escaping @Sendable (CredentialSource, Secret.Form) -> CredentialReader
  ) {
    self.notice = notice
    self.find = find
  }

  /// Returns the reader of a credential.
  package func reader(_ source: CredentialSource, _ form: Secret.Form = .line) -> CredentialReader {
    find(source, form)
  }

  /// Returns the reader of the certificate for a destination.
  package func certificate(_ source: ClientCertificate) -> LiveCertificate {
    LiveCertificate(source, notice: notice, reader: find)
  }
}
