import Credentials
import HTTPTransfer
import Jobs
import Messages
import Synchronization

/// Determines the cause of a refused signature (`SignatureDoesNotMatch`).
///
/// A signature covers the method, the path, the headers and the body. So a wrong secret is only one possible cause: a proxy may
/// change a header, or the storage may read a path or a value differently. Two facts together prove that only one job is
/// affected: a plain request that is signed afterwards with the same key is accepted, so the key is right; and objects of other
/// jobs are stored, so uploads in general work.
struct SignatureRefusals: Hashable {
  /// The maximum number of different consecutive jobs for which the cause is still `rejected`.
  static let longestRun = 3

  /// The jobs that were refused with a right key since an object was last stored; nil before the first object.
  private var run: Set<JobID>?

  /// Records that an object has been stored.
  mutating func stored() { if run?.isEmpty != true { run = [] } }

  /// Returns the kind of failure that the refusal of a job's request is: nil if the key is the cause, or it is not known; `rejected` if
  /// objects of other jobs are stored; `destination` if none has been stored yet, or several consecutive jobs were refused.
  ///
  /// - Parameter isKeyAccepted: true if a later request that was signed with the same key was accepted.
  mutating func kind(of job: JobID, isKeyAccepted: Bool) -> Failure.Kind? {
    guard isKeyAccepted else { return nil }
    guard run != nil else { return .destination }
    run?.insert(job)
    return (run?.count ?? 0) <= Self.longestRun ? .rejected : .destination
  }

  /// True if an answer shows that the signature of its request was accepted. It must come from a storage that otherwise answers
  /// `SignatureDoesNotMatch`.
  ///
  /// S3 checks the signature first, then permissions, and then the object ("How Amazon S3 authorizes a request" in the S3 user
  /// guide).
  static func isAccepted(status: Int, code: String?) -> Bool {
    switch (status, code) {
    case (403, S3Code.accessDenied), (404, "NoSuchKey"), (416, "InvalidRange"): true
    default: (200..<300).contains(status)
    }
  }
}

extension S3Bucket {
  /// Runs an attempt; if its signature is refused, determines the cause.
  func judgingSignatures<Value>(of object: ObjectToStore, _ attempt: () async throws -> Value) async throws -> Value {
    do {
      let value = try await attempt()
      trust.signatures.withLock { $0.stored() }
      return value
    } catch var refusal as S3Refusal where refusal.isOfSignature {
      let isKeyAccepted = try await isAccepted(refusal.context.key, in: object.bucket)
      refusal.signatureKind = trust.signatures.withLock { $0.kind(of: object.id, isKeyAccepted: isKeyAccepted) }
      throw refusal
    }
  }

  /// True if the storage accepts a plain request that is signed with this key.
  private func isAccepted(_ key: SigningKey?, in bucket: String) async throws -> Bool {
    guard let key else { return false }
    // This object key is the same in every encoding. The object need not exist.
    let place = BareAddress(bucket: bucket, key: "waybill-signature")
    do {
      return SignatureRefusals.isAccepted(
        status: try await send(.firstByte(of: place), key: key).status, code: nil)
    } catch let refusal as S3Refusal {
      return SignatureRefusals.isAccepted(status: refusal.answer.status, code: refusal.answer.code)
    } catch let error as TransferError where error.kind != .cancelled {
      return false
    }
  }
}
