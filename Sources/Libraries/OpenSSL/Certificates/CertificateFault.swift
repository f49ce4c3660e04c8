import COpenSSL

/// The reason why a certificate or its key cannot be used.
public enum CertificateFault: Error, Hashable, Sendable {
  /// The text contains no certificate.
  case noCertificate
  /// The text contains no private key.
  case noKey
  /// The key is encrypted, and nobody is there who could be asked for its password.
  case encryptedKey
  /// The key cannot be read. The value is OpenSSL's text.
  case unreadableKey(String)
}

/// The errors that OpenSSL keeps for each thread. After an error the queue must be emptied, because libcurl reads it too.
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
