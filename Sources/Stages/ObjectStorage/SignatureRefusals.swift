import Credentials
import HTTPTransfer
import Jobs
import Synchronization

/// Decides what a refused signature (`SignatureDoesNotMatch`) is about.
///
/// A signature covers the method, the path, the headers and the body, so a wrong secret is only one of its causes: a proxy may
/// change a header, or the storage may read one path or one value differently. Two facts together prove that one job alone is
/// concerned. A plain request that was signed afterwards with the same key is accepted, so the key is right. And objects of other
/// jobs are stored, so nothing is in the way of all uploads.
struct SignatureRefusals: Hashable {
  /// The reason of a refusal.
  enum Cause: Hashable {
    /// The key: nothing that it signs is accepted, or nobody knows.
    case key
    /// The key is right. But either no object has been stored yet, or job after job is refused.
    case storage
    /// The key is right, and other jobs store their objects.
    case request
  }

  /// The number of different jobs in a row that may each be the only one concerned.
  static let longestRun = 3

  /// The jobs that were refused although the key was right, since an object was last stored; nil before the first object.
  private var run: Set<JobID>?

  /// An object has been stored.
  mutating func stored() { run = [] }

  /// Returns the cause of a job's refusal.
  ///
  /// - Parameter isKeyAccepted: true if a request that was signed with the same key afterwards was accepted.
  mutating func cause(of job: JobID, isKeyAccepted: Bool) -> Cause {
    guard isKeyAccepted else { return .key }
    guard run != nil else { return .storage }
    run?.insert(job)
    return (run?.count ?? 0) <= Self.longestRun ? .request : .storage
  }

  /// True if an answer shows that the signature of its request was accepted, by a storage that says `SignatureDoesNotMatch`
  /// otherwise.
  ///
  /// S3 looks at the signature first, then at rights, and then for the object ("How Amazon S3 authorizes a request" in the S3
  /// user guide).
  static func isAccepted(status: Int, code: String?) -> Bool {
    switch (status, code) {
    case (403, S3Code.accessDenied), (404, "NoSuchKey"), (416, "InvalidRange"): true
    default: (200..<300).contains(status)
    }
  }
}

extension SignatureRefusals.Cause {
  /// The kind of failure; nil if the code alone decides.
  var kind: Failure.Kind? {
    switch self {
    case .key: nil
    case .storage: .destination
    case .request: .rejected
    }
  }

  /// The end of the words about the refusal; nil if the storage's own words say it all.
  func words(at storage: String) -> String? {
    switch self {
    case .key: nil
    case .storage:
      "the key is right, since the storage accepts other requests that it signs. A proxy may change what is sent, or the storage may "
        + "read a header of [storage.\(storage)] differently"
    case .request:
      "the key is right, and other files are stored. A proxy may change this object's key, type or metadata, or the storage may read "
        + "them differently"
    }
  }
}

extension S3Bucket {
  /// Runs an attempt, and finds out what a refused signature is about.
  func judgingSignatures<Value>(of object: ObjectToStore, _ attempt: () async throws -> Value) async throws -> Value {
    do {
      let value = try await attempt()
      trust.signatures.withLock { $0.stored() }
      return value
    } catch var refusal as S3Refusal where refusal.isOfSignature {
      let isKeyAccepted = try await isAccepted(refusal.context.key, in: object.bucket)
      refusal.cause = trust.signatures.withLock { $0.cause(of: object.id, isKeyAccepted: isKeyAccepted) }
      throw refusal
    }
  }

  /// True if the storage accepts a plain request that is signed with this key.
  private func isAccepted(_ key: SigningKey?, in bucket: String) async throws -> Bool {
    guard let key else { return false }
    // The key's path looks the same in every encoding. No object need be there.
    let place = OtherPlace(bucket: bucket, key: "waybill-signature")
    let look = Exchange(
      method: "GET", object: place, headers: [HTTPHeader("Range", "bytes=0-0")], answer: .slice)
    do {
      return SignatureRefusals.isAccepted(status: try await send(look, key: key).status, code: nil)
    } catch let refusal as S3Refusal {
      return SignatureRefusals.isAccepted(status: refusal.answer.status, code: refusal.answer.code)
    } catch let error as TransferError where error.kind != .cancelled {
      return false
    }
  }
}
