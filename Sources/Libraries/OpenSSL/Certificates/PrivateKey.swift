import COpenSSL

/// A private key from a PEM file, decrypted.
@safe public final class PrivateKey {
  let pointer: OpaquePointer

  /// Reads the first private key of a PEM text.
  /// - Parameter password: decrypts the key; nil if the key is not encrypted. OpenSSL never asks at a terminal.
  /// - Throws: the reason why there is no usable key.
  public init(pem: [UInt8], password: [UInt8]? = nil) throws(CertificateFault) {
    guard !pem.isEmpty, String(decoding: pem, as: UTF8.self).contains("PRIVATE KEY-----") else { throw .noKey }
    let (found, wasAsked) = unsafe pem.withUnsafeBytes { bytes in
      unsafe (password ?? []).withUnsafeBytes { secret in
        var given = unsafe copenssl_password()
        if password != nil {
          // An empty array has no base address.
          unsafe given.text = unsafe secret.baseAddress.map { unsafe $0.assumingMemoryBound(to: CChar.self) }
          unsafe given.length = Int32(clamping: secret.count)
        }
        let key = unsafe copenssl_read_key(bytes.baseAddress, Int32(clamping: bytes.count), &given)
        return unsafe (key, given.was_asked != 0)
      }
    }
    let words = OpenSSLError.words()
    guard let found = unsafe found else {
      if wasAsked { throw password == nil ? .needsPassword : .wrongPassword }
      throw .unreadableKey(words)
    }
    unsafe pointer = unsafe found
  }

  deinit { unsafe EVP_PKEY_free(pointer) }
}
