import COpenSSL

/// The reason why a certificate or its key cannot be used.
public enum CertificateFault: Error, Hashable, Sendable {
  /// The text has no certificate in it.
  case noCertificate
  /// The text has no private key in it.
  case noKey
  /// The key is encrypted, and there is no password.
  case needsPassword
  /// The password does not decrypt the key.
  case wrongPassword
  /// The key cannot be read, in OpenSSL's words.
  case unreadableKey(String)
  /// The key cannot sign, in OpenSSL's words.
  case cannotSign(String)

  /// The fault in words, after the name of the file that it is in.
  public var words: String {
    switch self {
    case .noCertificate: "has no certificate in it (-----BEGIN CERTIFICATE-----)"
    case .noKey: "has no private key in it (-----BEGIN PRIVATE KEY-----)"
    case .needsPassword: "has an encrypted key, and no password is named"
    case .wrongPassword: "has an encrypted key, and its password is wrong"
    case .unreadableKey(let words): "has a private key that cannot be read" + (words.isEmpty ? "" : ": \(words)")
    case .cannotSign(let words): "has a private key that cannot sign" + (words.isEmpty ? "" : ": \(words)")
    }
  }
}

/// The errors that OpenSSL keeps for each thread. Whoever has met one has to empty the queue: libcurl reads it too.
enum OpenSSLError {
  static func words() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
      unsafe copenssl_error(buffer.baseAddress, buffer.count)
      return unsafe buffer.baseAddress.map { unsafe String(cString: $0) } ?? ""
    }
  }

  static func clear() { ERR_clear_error() }
}
