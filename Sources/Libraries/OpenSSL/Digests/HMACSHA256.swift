/// A running HMAC with SHA-256 (RFC 2104) that has processed its key: each message begins with a copy, and costs no more than itself.
/// libcrypto's own HMAC cannot be copied without an allocation.
public struct HMACSHA256: Sendable {
  /// The size of SHA-256's blocks.
  private static let block = 64

  private var inner = SHA256()
  private var outer = SHA256()

  /// - Parameter key: has any length; RFC 2104, section 3, recommends 32 bytes or more.
  public init(key: [UInt8]) {
    // RFC 2104, section 2: a key that is longer than a block is hashed first.
    let key = key.count > Self.block ? Array(SHA256.hash(data: key)) : key
    let padded = key + [UInt8](repeating: 0, count: Self.block - key.count)
    inner.update(data: padded.map { $0 ^ 0x36 })
    outer.update(data: padded.map { $0 ^ 0x5C })
  }

  /// Continues with these bytes.
  public mutating func update(data: [UInt8]) { inner.update(data: data) }

  /// The authentication code of all bytes so far.
  public func finalize() -> SHA256.Digest {
    var outer = outer
    outer.update(inner.finalize())
    return outer.finalize()
  }

  /// The code of these bytes, as a continuation of the bytes so far.
  public func code(for data: [UInt8]) -> SHA256.Digest {
    var code = self
    code.update(data: data)
    return code.finalize()
  }
}
