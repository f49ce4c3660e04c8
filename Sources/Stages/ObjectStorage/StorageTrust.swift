import Credentials
import HTTPTransfer
import Jobs
import Messages
import Synchronization
package import XML

/// Records whether a storage has proven that it keeps objects, and whether it honours `If-None-Match`.
///
/// A server may answer like S3 and store nothing. So the first object after a start, a reload or a problem is checked by HEAD. After
/// that, the storage's answers are enough, and each upload only reads a flag.
final class StorageTrust: Sendable {
  private let proven = Atomic<Bool>(false)
  private let condition = Atomic<Bool>(false)
  private let refused = Atomic<Bool>(false)
  private let told = Atomic<Bool>(false)
  /// The jobs whose signatures were refused with a right key since an object was last stored; nil before the first object.
  private let refusedJobs = Mutex<Set<JobID>?>(nil)
  private let notice: @Sendable (String) -> Void

  /// - Parameter notice: is called once if HEAD is refused, and once if the condition is.
  init(notice: @escaping @Sendable (String) -> Void) { self.notice = notice }

  /// True if the storage's answers alone are proof.
  var isProven: Bool { proven.load(ordering: .acquiring) }

  /// Records that HEAD has shown an object that was stored here.
  func prove() { proven.store(true, ordering: .releasing) }

  /// True if the storage honours `If-None-Match: *` of a PUT. Some storages ignore the header.
  var keepsCondition: Bool { condition.load(ordering: .acquiring) }

  /// Records that a PUT was refused because of its condition, and HEAD has shown the object.
  func proveCondition() { condition.store(true, ordering: .releasing) }

  /// True if requests may be sent with the condition.
  var takesCondition: Bool { !refused.load(ordering: .acquiring) }

  /// Records that the storage refuses requests with the condition. Until the next start or reload, no request has it; HEAD shows
  /// whether an object exists.
  func giveUpCondition(_ words: @autoclosure () -> String) {
    condition.store(false, ordering: .releasing)
    if !refused.exchange(true, ordering: .acquiringAndReleasing) { notice(words()) }
  }

  /// Forgets what was proven, because the storage had a problem: the next answers may come from another server.
  func doubt() {
    proven.store(false, ordering: .releasing)
    condition.store(false, ordering: .releasing)
  }

  func stored() { refusedJobs.withLock { if $0?.isEmpty != true { $0 = [] } } }

  /// Returns the kind of failure of a signature that is refused although the key is right: `rejected` affects only the job; `destination`
  /// is for a storage that has stored no object yet, or has refused more than three jobs in a row.
  func refusedSignature(of job: JobID) -> Failure.Kind {
    refusedJobs.withLock { jobs in
      jobs?.insert(job)
      return jobs.map { $0.count <= 3 } ?? false ? .rejected : .destination
    }
  }

  /// Records that HEAD is refused because a permission is missing, so nothing can be proven, and answers alone must count.
  func proveWithoutHead(_ words: @autoclosure () -> String) {
    prove()
    if !told.exchange(true, ordering: .acquiringAndReleasing) { notice(words()) }
  }
}

extension S3Refusal.Answer {
  /// Returns the reason why a 2xx does not prove that the storage carried out the request; nil if it is a proof. Default virtual hosts,
  /// load balancers and login portals answer 2xx to any request. The caller has already checked the body for an `<Error>`.
  func doubt(in response: HTTPResponse) -> Message? {
    switch self {
    case .stored(let count):
      if response.status != 200 { return .doubtStatus(expected: 200) }
      if response.hasBody { return .doubtBody }
      if response.bytesSent < count { return .doubtEarly(sent: response.bytesSent, count: count) }
      guard response.headers.count(of: "ETag") == 1, let etag = response.headers.bytes(first: "ETag"), !etag.isEmpty
      else { return .doubtNoEtag }
      return S3Bucket.isStrong(etag) ? nil : .doubtWeakEtag
    case .shown: return response.status == 200 ? nil : .doubtStatus(expected: 200)
    case .slice: return response.status == 200 || response.status == 206 ? nil : .doubtStatus(expected: 206)
    case .nothing:
      guard response.status == 204 || response.status == 200 else { return .doubtStatus(expected: 204) }
      return response.hasBody ? .doubtBody : nil
    case .document(let document):
      if response.status != 200 { return .doubtStatus(expected: 200) }
      if !response.bodyTruncated, response.body.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) {
        return .doubtEmpty
      }
      if let root = XMLElement.parse(response.body, limit: limit), document.isRoot(root) { return nil }
      return response.isHTML ? .doubtPage : .doubtUnreadable
    }
  }
}

extension S3Bucket {
  /// True if a text is a strong entity tag that can be recorded: in quotes, and without characters that are not allowed between
  /// them (RFC 9110, 8.8.3).
  static func isStrong(_ etag: ArraySlice<UInt8>) -> Bool {
    let quote = UInt8(ascii: "\"")
    guard etag.count > 2, etag.count <= longestMark + 2, etag.first == quote, etag.last == quote else { return false }
    return etag.dropFirst().dropLast().allSatisfy { $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }
  }
}

/// The kinds of documents that S3 answers with, besides errors.
///
/// Servers use different names for the root: moto calls the list of parts `ListPartsResponse`. So a document is recognized by
/// S3's name for its root, or by a child element that no other kind of answer has.
package enum S3Document: String, CaseIterable, Sendable {
  case uploadBegun = "InitiateMultipartUploadResult"
  case parts = "ListPartsResult"
  case uploads = "ListMultipartUploadsResult"
  case completed = "CompleteMultipartUploadResult"

  private var marks: Set<String> {
    switch self {
    case .uploadBegun: ["UploadId"]
    case .parts: ["Part", "PartNumberMarker", "NextPartNumberMarker", "MaxParts"]
    case .uploads: ["Upload", "UploadIdMarker", "NextUploadIdMarker", "MaxUploads"]
    case .completed: ["ETag", "Location"]
    }
  }

  package func isRoot(_ element: XMLElement) -> Bool {
    element.name == rawValue || element.children.contains { marks.contains($0.name) }
  }
}

/// A signature covers the method, the path, the headers and the body. So a wrong secret is only one possible cause of its refusal: a proxy
/// may change a header, or the storage may read a path or a value differently.
extension S3Bucket {
  /// Runs an attempt. If its signature is refused, but a plain request that the same key signs is accepted, the key is right.
  func judgingSignatures<Value>(of object: ObjectToStore, _ attempt: () async throws -> Value) async throws -> Value {
    do {
      let value = try await attempt()
      trust.stored()
      return value
    } catch var refusal as S3Refusal where refusal.isOfSignature {
      if try await isAccepted(refusal.context.contents?.key, in: object.bucket) {
        refusal.signatureKind = trust.refusedSignature(of: object.id)
      }
      throw refusal
    }
  }

  /// True if the storage accepts a plain request that is signed with this key. S3 checks the signature first, then permissions, and
  /// then the object ("How Amazon S3 authorizes a request" in the S3 user guide).
  private func isAccepted(_ key: SigningKey?, in bucket: String) async throws -> Bool {
    guard let key else { return false }
    do {
      // This object key is the same in every encoding. The object need not exist.
      _ = try await send(.firstByte(of: ObjectAddress(bucket: bucket, key: "waybill-signature")), key: key)
      return true
    } catch let refusal as S3Refusal {
      return switch (refusal.answer.status, refusal.answer.code) {
      case (403, S3Code.accessDenied), (404, "NoSuchKey"), (416, "InvalidRange"): true
      default: false
      }
    } catch let error as TransferError where error.kind != .cancelled {
      return false
    }
  }
}
