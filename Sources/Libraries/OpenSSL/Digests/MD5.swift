import COpenSSL

/// A running MD5 (RFC 1321), from which S3's ETags are made. It gives no security.
public struct MD5: Sendable {
  /// The 16 bytes of the hash.
  public typealias Digest = OpenSSL.Digest<16>

  private var state = MD5_CTX()

  /// An MD5 of no bytes yet.
  public init() { _ = unsafe MD5_Init(&state) }

  /// Continues with these bytes.
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
