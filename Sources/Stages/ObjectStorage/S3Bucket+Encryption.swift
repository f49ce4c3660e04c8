import Credentials
import HTTPTransfer
import Jobs
import OpenSSL

/// Objects that the storage encrypts, with a key of a KMS or with the customer's.
///
/// Their ETags are no MD5 ("Common response headers" in the S3 API reference). Nothing here takes an ETag for one: bytes are
/// compared by checksums alone.
extension S3Bucket {
  private static let prefix = "x-amz-server-side-encryption"

  /// A mark of what objects are encrypted with, which is kept with an upload in parts; nil for nothing. All parts of an upload must
  /// have one key.
  func encryptionMark() throws(CredentialError) -> String? {
    var facts = ["", "-aws-kms-key-id", "-context", "-bucket-key-enabled", "-customer-key-md5"].compactMap { end in
      configured[Self.prefix + end].map { "\(end)=\($0)" }
    }
    if let key = try customerKey?() { facts.append("customer=\(key.digest)") }
    guard !facts.isEmpty else { return nil }
    return String(Hex.text(SHA256.hash(data: Array(facts.joined(separator: "\n").utf8))).prefix(16))
  }

  /// Returns the owner of an object that HEAD does not show, because it is encrypted with another key than was sent, or with one
  /// although none was sent, or with none although one was sent.
  ///
  /// - Parameter refusal: the answer to HEAD, which has no body that could say so.
  func occupant(of object: ObjectToStore, notShown refusal: S3Refusal) async throws -> Occupant {
    if refusal.context.customerKey != nil {
      var head = Exchange(method: "HEAD", object: object)
      head.sendsCustomerKey = false
      do {
        // If it is ours, it is from before the key was set, and is replaced by one that is encrypted.
        return Self.shows(object.id, try await send(head)) ? .oursOfOtherBytes : .another
      } catch let other as S3Refusal where other.isAbsence {
        return .nobody
      } catch let other as S3Refusal where other.answer.status == 403 {
        throw refusal
      } catch let other as S3Refusal where other.answer.status == 400 {
        // Neither with this key nor without one.
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

  /// Says if the answer to a PUT shows the encryption that was asked for; nil if none was.
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
  /// True if an object may be there that is encrypted with another key. S3 answers 400 to HEAD then, or 403 if both have a
  /// customer's key ("HeadObject" in the S3 API reference).
  var mayBeOfEncryption: Bool {
    context.method == "HEAD" && (answer.status == 400 || (answer.status == 403 && context.customerKey != nil))
  }
}
