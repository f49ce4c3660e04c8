package import HTTPTransfer
import Messages
import OpenSSL
import Synchronization

/// The certificate for a server, read again for a request if its files changed.
///
/// A program that renews a certificate writes two files, one after the other. In between they do not belong together: then the
/// pair from before stays in use.
package final class LiveCertificate: Sendable {
  private struct Memory {
    /// The generations of the texts that were read last, and their fault.
    var seen: [Int] = []
    var fault: CredentialError?
    var identity: ClientIdentity?
  }

  private let source: ClientCertificate
  private let certificate: CredentialReader
  /// The reader of the key: the same one, if the key is in the same file.
  private let key: CredentialReader
  private let notice: @Sendable (String) -> Void
  private let memory = Mutex(Memory())

  /// - Parameter notice: hears once when files that changed cannot be used, and the pair from before is shown on.
  package init(
    _ source: ClientCertificate, notice: @escaping @Sendable (String) -> Void = { _ in },
    reader: (CredentialSource, Secret.Form) -> CredentialReader
  ) {
    self.source = source
    self.notice = notice
    certificate = reader(source.certificate, .lines)
    key = source.key == source.certificate ? certificate : reader(source.key, .lines)
  }

  /// - Throws: `CredentialError` if it cannot be read or used, and there was none before.
  package func read() throws(CredentialError) -> ClientIdentity {
    let (result, news) = memory.withLock { memory -> (Result<ClientIdentity, CredentialError>, String?) in
      let before = memory.fault
      do throws(CredentialError) {
        try refresh(&memory)
        memory.fault = nil
      } catch {
        memory.fault = error
      }
      guard let identity = memory.identity else {
        return (.failure(memory.fault ?? CredentialError(source: source.certificate, words: .noCertificate)), nil)
      }
      guard let fault = memory.fault, fault != before else { return (.success(identity), nil) }
      return (.success(identity), "\(fault.words): the certificate from before is used until it is right")
    }
    if let news { notice(news) }
    return try result.get()
  }

  package var credentials: [NamedCredential] {
    let chain = NamedCredential(key: "client_cert", reader: certificate)
    return key === certificate ? [chain] : [chain, NamedCredential(key: "client_key", reader: key)]
  }

  private func refresh(_ memory: inout Memory) throws(CredentialError) {
    let certificate = try certificate.reading()
    let key = try key.reading()
    let generations = [certificate.generation, key.generation]
    if generations == memory.seen {
      if let fault = memory.fault { throw fault }
      return
    }
    memory.seen = generations
    func fault(_ source: CredentialSource, _ why: Message) -> CredentialError {
      CredentialError(source: source, words: .credentialUnusable(source: source.words, why: why))
    }
    let isPair: Bool
    do throws(CertificateFault) {
      isPair = try Certificate(pem: certificate.secret.bytes).belongs(toKey: key.secret.bytes)
    } catch {
      throw fault(error == .noCertificate ? source.certificate : source.key, error.message)
    }
    guard isPair else { throw fault(source.key, .certificateOtherKey(certificate: "\(source.certificate)")) }
    memory.identity = ClientIdentity(certificate: certificate.secret.bytes, key: key.secret.bytes)
  }
}

extension CertificateFault {
  /// The fault as a predicate of the file.
  fileprivate var message: Message {
    switch self {
    case .noCertificate: .certificateNone
    case .noKey: .certificateNoKey
    case .encryptedKey: .certificateKeyEncrypted
    case .unreadableKey(let why):
      why.isEmpty ? .certificateKeyUnreadable : .certificateKeyUnreadableSaid(why: why)
    }
  }
}

/// The certificate that a server gets when TLS begins, and the key that belongs to it.
public struct ClientCertificate: Hashable, Sendable {
  /// The source of the certificate, with those of its issuers behind it (PEM).
  public var certificate: CredentialSource
  /// The source of the private key (PEM). It may be the certificate's.
  public var key: CredentialSource

  /// Creates a certificate from its sources.
  public init(certificate: CredentialSource, key: CredentialSource) {
    self.certificate = certificate
    self.key = key
  }
}
