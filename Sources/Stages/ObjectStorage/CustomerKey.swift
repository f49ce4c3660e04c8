import HTTPTransfer
import Jobs
import Messages
import OpenSSL

/// A key of 256 bits that the storage encrypts objects with but does not store ("Using server-side encryption with
/// customer-provided keys (SSE-C)" in the S3 user guide).
public struct CustomerKey: Hashable, Sendable {
  static let algorithmHeader = "x-amz-server-side-encryption-customer-algorithm"
  static let keyHeader = "x-amz-server-side-encryption-customer-key"
  static let digestHeader = "x-amz-server-side-encryption-customer-key-md5"

  /// The key in base64. It leaves the process only in requests.
  let text: String
  /// The MD5 of the key's bytes in base64, with which the storage checks that the key arrived undamaged.
  let digest: String

  /// A key of 32 bytes.
  public init(_ bytes: [UInt8]) {
    text = Base64.text(bytes)
    var md5 = MD5()
    md5.update(data: bytes)
    digest = Base64.text(Array(md5.finalize()))
  }

  /// The headers of a request that needs the key.
  var headers: [HTTPHeader] {
    [
      HTTPHeader(Self.algorithmHeader, "AES256"), HTTPHeader(Self.keyHeader, text),
      HTTPHeader(Self.digestHeader, digest),
    ]
  }

  /// An addition to the error text of a refused permission, if a customer key was sent ("Blocking or unblocking SSE-C for a
  /// general purpose bucket" in the S3 user guide, 2026-04).
  static let mayBeBlocked = Message.customerKeysBlocked(setting: "encryption = { kms = \"KEY\" }")
}

extension CustomerKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the key.
  public var description: String { "<secret>" }
  /// Never the key.
  public var debugDescription: String { description }
  /// Hides the key from `dump` and from failed expectations too.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
