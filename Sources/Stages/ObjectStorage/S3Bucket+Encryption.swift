import Credentials
import FoundationEssentials
public import HTTPTransfer
import Jobs
import Messages
import OpenSSL
import Settings

/// Objects that the storage encrypts. Their ETags are not MD5 sums ("Common response headers" in the S3 API reference).
extension S3Bucket {
  /// A mark of the objects' encryption, recorded with an upload in parts; nil for none. All parts of an upload must be encrypted with the
  /// same key.
  func encryptionMark() throws(CredentialError) -> String? {
    var facts = ["", "-aws-kms-key-id", "-context", "-bucket-key-enabled"].compactMap { end in
      configured[WantedEncryption.header + end].map { "\(end)=\($0)" }
    }
    if let key = try customerKey?() { facts.append("customer=\(key.digest)") }
    guard !facts.isEmpty else { return nil }
    return String(Hex.text(SHA256.hash(data: Array(facts.joined(separator: "\n").utf8))).prefix(16))
  }

  /// Returns the owner of an object that HEAD does not show because the request's key does not fit: another key, a key for an object
  /// without encryption, or no key for an encrypted object.
  func occupant(of object: ObjectToStore, notShown refusal: S3Refusal) async throws -> Occupant {
    var get = Exchange.firstByte(of: object.address)
    get.sendsCustomerKey = false
    do {
      let response = try await send(get)
      guard Self.shows(object.id, response) else { return .another }
      // The object was stored before the key was configured. An encrypted one replaces it.
      var shown = ShownObject(response, settings.checksum)
      shown.isEncrypted = false
      return .ours(shown)
    } catch let named as S3Refusal where named.isAbsence {
      return .nobody
    } catch let named as S3Refusal where named.answer.code == S3Code.invalidRequest || named.answer.status == 416 {
      return .another  // it is encrypted otherwise, or empty
    } catch let named as S3Refusal where named.failure.kind != .credentials {
      throw refusal
    }
  }

  func encryption() throws(CredentialError) -> WantedEncryption? {
    asksForEncryption ? WantedEncryption(configured, try customerKey?()) : nil
  }

  /// Throws a failure of the destination unless the answer, or else HEAD, shows that an object is encrypted as configured.
  func confirmEncryption(_ response: HTTPResponse, of object: ObjectToStore) async throws {
    guard let encryption = try encryption() else { return }
    switch encryption.finding(in: response) {
    case .fits: return
    case .other: throw encryption.failure(response)
    case .unsaid:
      let found = try await shown(object) { _ in throw encryption.failure(response) }
      guard case .ours(let shown) = found, shown.isEncrypted else { throw encryption.failure(response) }
    }
  }

  /// Compares the answer to a PUT with the configured encryption; nil if none is configured.
  func encryptionFinding(_ response: HTTPResponse) throws(CredentialError) -> ProbeFinding? {
    guard let encryption = try encryption() else { return nil }
    guard encryption.finding(in: response) == .fits else {
      return ProbeFinding(.fault, encryption.failure(response).words)
    }
    let key = response.headers[first: WantedEncryption.kmsKey].map { " (\(DisplayText.escape($0)))" } ?? ""
    return ProbeFinding(.fits, "encrypts objects with \(encryption.name)\(key)")
  }
}

/// The requested encryption, by the header in which answers name it.
struct WantedEncryption {
  enum Finding { case fits, other, unsaid }

  static let header = "x-amz-server-side-encryption"
  static let kmsKey = header + "-aws-kms-key-id"

  private let header: String
  private let value: String
  /// The id or ARN of a key; nil for none, or for an alias, which no answer names.
  private let key: String?

  init?(_ configured: ConfiguredHeaders, _ customerKey: CustomerKey?) {
    if let customerKey {
      (header, value, key) = (CustomerKey.digestHeader, customerKey.digest, nil)
    } else if let algorithm = configured[Self.header] {
      (header, value) = (Self.header, algorithm)
      key = configured[Self.kmsKey].flatMap { $0.contains("alias/") ? nil : $0 }
    } else {
      return nil
    }
  }

  var name: String { header == Self.header ? value : "the customer's key (SSE-C)" }

  func finding(in response: HTTPResponse) -> Finding {
    guard let said = response.headers[first: header] else {
      // Another kind of encryption does not fit.
      return response.headers[first: CustomerKey.digestHeader] == nil ? .unsaid : .other
    }
    guard said == value else { return .other }
    // AWS names a key by its ARN, which ends with the id.
    guard let key, let used = response.headers[first: Self.kmsKey] else { return .fits }
    return used.hasSuffix(key) || key.hasSuffix(used) ? .fits : .other
  }

  func failure(_ response: HTTPResponse) -> Failure {
    let said = response.headers[first: Self.header].map { used in
      used + (response.headers[first: Self.kmsKey].map { " (\($0))" } ?? "")
    }
    let message: Message =
      said.map { .encryptedOtherwise(asked: name, said: BoundedText.of($0)) } ?? .encryptionUnsaid(asked: name)
    return Failure(.destination, message, status: response.status, code: "EncryptionIgnored", mayHaveActed: true)
  }
}

extension S3Refusal {
  /// True if there may be an object that is encrypted with another key. S3 then answers 400 to HEAD, or 403 if both keys are
  /// customer keys ("HeadObject" in the S3 API reference).
  var mayBeOfEncryption: Bool {
    context.method == "HEAD" && !isOfTheClock
      && (answer.status == 400 || (answer.status == 403 && context.contents?.customerKey != nil))
  }
}

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
    text = Data(bytes).base64EncodedString()
    var md5 = MD5()
    md5.update(data: bytes)
    digest = Data(md5.finalize()).base64EncodedString()
  }

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

extension CustomerKey: Redacted {
  /// Never the key.
  public var description: String { "<secret>" }
}
