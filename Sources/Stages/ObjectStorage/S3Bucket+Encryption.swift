import Credentials
import HTTPTransfer
import Jobs
import OpenSSL

/// Objects that the storage encrypts, with a key of a KMS or with a customer key.
///
/// Their ETags are not MD5 sums ("Common response headers" in the S3 API reference). No code here treats an ETag as MD5: bytes
/// are compared only by checksums.
extension S3Bucket {
  private static let prefix = "x-amz-server-side-encryption"

  /// A mark that identifies the encryption of objects, which is recorded with an upload in parts; nil for none. All parts of an
  /// upload must be encrypted with the same key.
  func encryptionMark() throws(CredentialError) -> String? {
    var facts = ["", "-aws-kms-key-id", "-context", "-bucket-key-enabled", "-customer-key-md5"].compactMap { end in
      configured[Self.prefix + end].map { "\(end)=\($0)" }
    }
    if let key = try customerKey?() { facts.append("customer=\(key.digest)") }
    guard !facts.isEmpty else { return nil }
    return String(Hex.text(SHA256.hash(data: Array(facts.joined(separator: "\n").utf8))).prefix(16))
  }

  /// Returns the owner of an object that HEAD does not show, because it is encrypted with another key than the one that was sent,
  /// or one was sent for an object without encryption, or none was sent for an encrypted object.
  ///
  /// - Parameter refusal: the answer to HEAD, which has no body with the reason.
  func occupant(of object: ObjectToStore, notShown refusal: S3Refusal) async throws -> Occupant {
    if refusal.context.customerKey != nil {
      var head = Exchange(method: "HEAD", object: object)
      head.sendsCustomerKey = false
      do {
        // If it is ours, it was stored before the key was configured. It is replaced by an encrypted one.
        return Self.shows(object.id, try await send(head)) ? .oursOfOtherBytes : .another
      } catch let other as S3Refusal where other.isAbsence {
        return .nobody
      } catch let other as S3Refusal where other.answer.status == 403 {
        throw refusal
      } catch let other as S3Refusal where other.answer.status == 400 {
        // HEAD shows it neither with this key nor without a key.
      }
    }
    var get = Exchange(method: "GET", object: object, headers: [HTTPHeader("Range", "bytes=0-0")], answer: .slice)
    get.sendsCustomerKey = false
    do {
      return Self.shows(object.id, try await send(get)) ? .oursOfOtherBytes : .another
    } catch let named as S3Refusal where named.answer.code == S3Code.invalidRequest {
      return .another
    } catch let named as S3Refusal where named.failure.kind != .credentials {
      throw refusal
    }
  }

  /// Returns whether the answer to a PUT shows the configured encryption; nil if none is configured.
  func encryptionFinding(_ response: HTTPResponse) throws(CredentialError) -> ProbeFinding? {
    let key = try customerKey?()
    if let asked = key?.digest ?? configured[CustomerKey.digestHeader] {
      return response.headers[first: CustomerKey.digestHeader] == asked
        ? ProbeFinding(.fits, "encrypts objects with the customer's key (SSE-C)")
        : ProbeFinding(
          .fault, "does not say that it encrypts with the customer's key (SSE-C): it may keep objects unencrypted")
    }
    guard let asked = configured[Self.prefix] else { return nil }
    let said = response.headers[first: Self.prefix]
    if said == asked {
      let key = response.headers[first: Self.prefix + "-aws-kms-key-id"].map { " (\(DisplayText.escape($0)))" } ?? ""
      return ProbeFinding(.fits, "encrypts objects with \(asked)\(key)")
    }
    return ProbeFinding(
      asked == "AES256" ? .advice : .fault,
      "does not say that it encrypts with \(asked)"
        + (said.map { ", but with \(DisplayText.escape($0))" } ?? ": it may keep objects unencrypted"))
  }
}

extension S3Refusal {
  /// True if there may be an object that is encrypted with another key. S3 then answers 400 to HEAD, or 403 if both keys are
  /// customer keys ("HeadObject" in the S3 API reference).
  var mayBeOfEncryption: Bool {
    context.method == "HEAD" && (answer.status == 400 || (answer.status == 403 && context.customerKey != nil))
  }
}
