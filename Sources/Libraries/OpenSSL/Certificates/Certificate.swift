import COpenSSL

/// A certificate from a PEM file: the first one in it, which is the owner's. Those after it are its issuers'.
@safe public final class Certificate {
  private let pointer: OpaquePointer

  /// Reads the first certificate of a PEM text.
  /// - Throws: ``CertificateFault/noCertificate`` if there is none.
  public init(pem: [UInt8]) throws(CertificateFault) {
    let found = unsafe pem.withUnsafeBytes { bytes in
      unsafe copenssl_read_certificate(bytes.baseAddress, Int32(clamping: bytes.count))
    }
    // Ignored: OpenSSL's reasons say no more than that there is no certificate.
    OpenSSLError.clear()
    guard let found = unsafe found else { throw .noCertificate }
    unsafe pointer = unsafe found
  }

  deinit { unsafe X509_free(pointer) }

  /// The first second of its validity, since the Unix epoch.
  public var notBefore: Int64 { unsafe copenssl_not_before(pointer) }

  /// The last second of its validity, since the Unix epoch.
  public var notAfter: Int64 { unsafe copenssl_not_after(pointer) }

  /// Returns true if it was issued for the first private key of a PEM text. OpenSSL never asks for a password at a terminal.
  /// - Throws: the reason why there is no usable key.
  public func belongs(toKey pem: [UInt8]) throws(CertificateFault) -> Bool {
    guard !pem.isEmpty, String(decoding: pem, as: UTF8.self).contains("PRIVATE KEY-----") else { throw .noKey }
    var isEncrypted: Int32 = 0
    let key = unsafe pem.withUnsafeBytes { bytes in
      unsafe copenssl_read_key(bytes.baseAddress, Int32(clamping: bytes.count), &isEncrypted)
    }
    let words = OpenSSLError.words()
    guard let key = unsafe key else { throw isEncrypted != 0 ? .encryptedKey : .unreadableKey(words) }
    defer {
      unsafe EVP_PKEY_free(key)
      OpenSSLError.clear()
    }
    return unsafe X509_check_private_key(pointer, key) == 1
  }
}
