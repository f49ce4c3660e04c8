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

  /// An algorithm of JSON Web Signatures (RFC 7518, section 3.1; RFC 8037).
  public enum Algorithm: String, Sendable, CaseIterable {
    /// RSA with PKCS #1 padding and SHA-256.
    case rs256 = "RS256"
    /// RSA with PSS padding and SHA-256.
    case ps256 = "PS256"
    /// ECDSA on P-256.
    case es256 = "ES256"
    /// ECDSA on P-384.
    case es384 = "ES384"
    /// ECDSA on P-521.
    case es512 = "ES512"
    /// Ed25519 or Ed448.
    case edDSA = "EdDSA"

    fileprivate var digest: String? {
      switch self {
      case .rs256, .ps256, .es256: "SHA256"
      case .es384: "SHA384"
      case .es512: "SHA512"
      case .edDSA: nil
      }
    }

    /// The size in bytes of a signature that consists of two numbers; nil for other forms.
    fileprivate var rawSize: Int? {
      switch self {
      case .es256: 64
      case .es384: 96
      case .es512: 132
      case .rs256, .ps256, .edDSA: nil
      }
    }
  }

  /// The algorithms that it can sign with; none for a key of another kind.
  public var algorithms: [Algorithm] {
    switch unsafe (EVP_PKEY_get_base_id(pointer), EVP_PKEY_get_bits(pointer)) {
    case (EVP_PKEY_RSA, _): [.rs256, .ps256]
    case (EVP_PKEY_RSA_PSS, _): [.ps256]
    case (EVP_PKEY_EC, 256): [.es256]
    case (EVP_PKEY_EC, 384): [.es384]
    case (EVP_PKEY_EC, 521): [.es512]
    case (EVP_PKEY_ED25519, _), (EVP_PKEY_ED448, _): [.edDSA]
    default: []
    }
  }

  /// The default algorithm; nil for a key that can sign with none of them.
  public var algorithm: Algorithm? { algorithms.first }

  /// Signs bytes in the form of JSON Web Signatures, with one of its ``algorithms``; nil for the default one.
  /// - Throws: ``CertificateFault/cannotSign(_:)``.
  public func signature(of bytes: [UInt8], by named: Algorithm? = nil) throws(CertificateFault) -> [UInt8] {
    guard let algorithm = named ?? algorithm else { throw .cannotSign("its kind is not known to JSON Web Signatures") }
    guard algorithms.contains(algorithm) else { throw .cannotSign("it is of another kind than \(algorithm.rawValue)") }
    var signature = [UInt8](repeating: 0, count: 4096)
    let room = signature.count
    let count = unsafe bytes.withUnsafeBytes { bytes in
      unsafe signature.withUnsafeMutableBufferPointer { out in
        unsafe copenssl_sign(
          pointer, algorithm.digest, algorithm == .ps256 ? 1 : 0, bytes.baseAddress, bytes.count, out.baseAddress, room)
      }
    }
    guard count > 0 else { throw .cannotSign(OpenSSLError.words()) }
    signature.removeLast(room - count)
    guard let size = algorithm.rawSize else { return signature }
    var raw = [UInt8](repeating: 0, count: size)
    let isWritten = unsafe signature.withUnsafeBufferPointer { signature in
      unsafe raw.withUnsafeMutableBufferPointer { raw in
        unsafe copenssl_raw_ecdsa(signature.baseAddress, count, raw.baseAddress, size)
      }
    }
    guard isWritten == 1 else { throw .cannotSign(OpenSSLError.words()) }
    return raw
  }
}
