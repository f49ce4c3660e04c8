import COpenSSL

/// A running SHA-256 (FIPS 180-4), by libcrypto. It is a value: a copy continues independently, and a hash is available at any time.
public struct SHA256: Sendable {
  /// The 32 bytes of the hash.
  public typealias Digest = OpenSSL.Digest<32>

  private var state = SHA256_CTX()

  /// A SHA-256 of no bytes yet.
  public init() { _ = unsafe SHA256_Init(&state) }

  /// Continues with these bytes.
  public mutating func update(data: [UInt8]) {
    unsafe data.withUnsafeBytes { bytes in
      _ = unsafe SHA256_Update(&state, bytes.baseAddress, bytes.count)
    }
  }

  mutating func update(_ digest: Digest) {
    let span = digest.bytes.span
    unsafe span.withUnsafeBytes { bytes in
      _ = unsafe SHA256_Update(&state, bytes.baseAddress, bytes.count)
    }
  }

  /// The hash of all bytes so far.
  public func finalize() -> Digest {
    var ended = state
    var digest = Digest()
    unsafe digest.fill { bytes in _ = unsafe SHA256_Final(bytes, &ended) }
    return digest
  }

  /// The hash of these bytes.
  public static func hash(data: [UInt8]) -> Digest {
    var hash = SHA256()
    hash.update(data: data)
    return hash.finalize()
  }
}
