import COpenSSL

/// A private key from a PEM file.
@safe public final class PrivateKey {
  let pointer: OpaquePointer

  /// Reads the first private key of a PEM text. OpenSSL never asks for a password at a terminal.
  /// - Throws: the reason why there is no usable key.
  public init(pem: [UInt8]) throws(CertificateFault) {
    guard !pem.isEmpty, String(decoding: pem, as: UTF8.self).contains("PRIVATE KEY-----") else { throw .noKey }
    var isEncrypted: Int32 = 0
    let found = unsafe pem.withUnsafeBytes { bytes in
      unsafe copenssl_read_key(bytes.baseAddress, Int32(clamping: bytes.count), &isEncrypted)
    }
    let words = OpenSSLError.words()
    guard let found = unsafe found else { throw isEncrypted != 0 ? .encryptedKey : .unreadableKey(words) }
    unsafe pointer = unsafe found
  }

  deinit { unsafe EVP_PKEY_free(pointer) }
}
