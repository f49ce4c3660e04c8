import COpenSSL

/// A running MD5 (RFC 1321), which S3's ETag is made of. It protects nothing.
public struct MD5: Sendable {
  /// The 16 bytes of the hash.
  public typealias Digest = OpenSSL.Digest<16>

  private var state = MD5_CTX()

  /// Begins one: no bytes so far.
  public init() { _ = unsafe MD5_Init(&state) }

  /// Goes on with these bytes.
  public mutating func update(data: [UInt8]) {
    unsafe data.withUnsafeBytes { bytes in
      _ = unsafe MD5_Update(&state, bytes.baseAddress, bytes.count)
    }
  }

  /// The hash of all bytes so far.
  public func finalize() -> Digest {
    var ended = state
    var digest = Digest()
    unsafe digest.fill { bytes in _ = unsafe MD5_Final(bytes, &ended) }
    return digest
  }

  /// The hash of these bytes.
  public static func hash(data: [UInt8]) -> Digest {
    var hash = MD5()
    hash.update(data: data)
    return hash.finalize()
  }
}
