import FoundationEssentials
import HummingbirdCore
import OpenSSL

/// Encryption with a key of the customer (SSE-C) or of a KMS: the requests that have to name the key, and the answers that show it,
/// as in S3 ("Using server-side encryption with customer-provided keys" in its user guide, and the calls in its API reference).
///
/// The bytes themselves lie in the folder as they came.
enum ObjectEncryption {
  private static let prefix = "x-amz-server-side-encryption"
  private static let algorithm = prefix + "-customer-algorithm"
  private static let key = prefix + "-customer-key"
  private static let digest = prefix + "-customer-key-md5"

  /// The headers about its encryption that an object gets from the request that begins it; nil for none. They are kept, and shown in
  /// answers.
  static func asked(by request: Request) throws(StorageError) -> [String: String]? {
    let customer = try customerKey(of: request)
    guard let way = request.headers[prefix] else { return customer }
    guard ["AES256", "aws:kms", "aws:kms:dsse"].contains(way), customer == nil else {
      throw StorageError(400, "InvalidArgument", "The encryption method specified is not supported")
    }
    let keyID = request.headers[prefix + "-aws-kms-key-id"]
    return [prefix: way].merging(keyID.map { [prefix + "-aws-kms-key-id": $0] } ?? [:]) { one, _ in one }
  }

  /// Checks the customer's key of a request for an object that is there.
  static func check(_ request: Request, of kept: [String: String]?) throws(StorageError) {
    switch (try customerKey(of: request)?[digest], kept?[digest]) {
    case (nil, nil): break
    case (nil, .some):
      throw StorageError(
        400, "InvalidRequest",
        "The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object."
      )
    case (.some, nil):
      throw StorageError(400, "InvalidRequest", "The encryption parameters are not applicable to this object.")
    case (let one, let other):
      guard one == other else { throw StorageError(403, "AccessDenied", "Access Denied") }
    }
  }

  /// Checks the customer's key of a request about an upload in parts.
  static func check(
    _ request: Request, ofUpload kept: [String: String]?, isNeeded: Bool = true
  ) throws(StorageError) {
    switch (try customerKey(of: request)?[digest], kept?[digest]) {
    case (nil, nil): break
    case (nil, .some):
      guard isNeeded else { break }
      throw StorageError(
        400, "InvalidRequest",
        "The multipart upload initiate requested encryption. Subsequent part requests must include the appropriate encryption parameters."
      )
    case (.some, nil):
      throw StorageError(
        400, "InvalidRequest",
        "The multipart upload initiate did not request encryption. Please resend the request without sending encryption parameters."
      )
    case (let one, let other):
      guard one == other else {
        throw StorageError(
          400, "InvalidRequest", "The provided encryption parameters did not match the ones used originally.")
      }
    }
  }

  /// The ETag of bytes with an MD5: that of encrypted ones is something else.
  static func etag(_ md5: String, _ kept: [String: String]?) -> String {
    guard let kept, kept[prefix] != "AES256" else { return md5 }
    var other = MD5()
    other.update(data: Array("encrypted \(md5)".utf8))
    return PercentEncoding.hex(other.finalize())
  }

  /// The algorithm and the MD5 of the customer's key that a request brings; nil if it brings none.
  private static func customerKey(of request: Request) throws(StorageError) -> [String: String]? {
    let (way, text, told) = (request.headers[algorithm], request.headers[key], request.headers[digest])
    if way == nil, text == nil, told == nil { return nil }
    let start = "Requests specifying Server Side Encryption with Customer provided keys must provide "
    guard let way else { throw StorageError(400, "InvalidArgument", start + "a valid encryption algorithm.") }
    guard way == "AES256" else {
      throw StorageError(
        400, "InvalidEncryptionAlgorithmError",
        "The encryption request you specified is not valid. The valid value is AES256.")
    }
    guard let text, let told else { throw StorageError(400, "InvalidArgument", start + "an appropriate secret key.") }
    guard let bytes = Data(base64Encoded: text), bytes.count == 32 else {
      throw StorageError(400, "InvalidArgument", "The secret key was invalid for the specified algorithm.")
    }
    var md5 = MD5()
    md5.update(data: [UInt8](bytes))
    guard Data(md5.finalize()).base64EncodedString() == told else {
      throw StorageError(
        400, "InvalidArgument", "The calculated MD5 hash of the key did not match the hash that was provided.")
    }
    return [algorithm: way, digest: told]
  }
}
