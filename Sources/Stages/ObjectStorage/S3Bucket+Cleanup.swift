import HTTPTransfer
public import Jobs
import Linux
import Messages
import Seams

extension S3Bucket {
  /// One try of a cleanup: aborts uploads in parts, looks for the object by HEAD, and deletes it if requested.
  ///
  /// It deletes only an object that shows our id, because the key may have been given to another object. See
  /// "AbortMultipartUpload" and "DeleteObject" in the S3 API reference.
  public func clear(_ object: Cleanup, verdict: (Failure) -> Verdict) async -> CleanupResult {
    do {
      if let uploadID = object.uploadID, object.aim != .keep { _ = try await hasAborted(uploadID, of: object.address) }
      // Other uploads may have begun although their ids never arrived. If the key does not belong to this job alone, an open upload may
      // be another job's.
      if object.key.contains(object.id.description) {
        // If the object is in use, only uploads without parts are aborted: they cannot have made it.
        try await abortForgotten(object.address, except: object.uploadID, isShared: object.aim == .keep)
      } else if object.uploadUnheardAt != nil, let since = object.id.mintedAt {
        try await abortForgotten(object.address, since: since, except: object.uploadID, isShared: true)
      }
      if object.aim == .keep { return .absent }
      return try await removeVersions(of: object)
    } catch  where error.isCancellation {
      return .cut
    } catch let refusal as S3Refusal where refusal.isLasting {
      return .refused(refusal.failure)
    } catch {
      let failure = Failure(for: error)
      return .failed(failure, verdict(failure))
    }
  }

  private static let mostVersions = 32

  /// Looks for the object and deletes it if requested, and then each older version with our id, which would become the object. After a
  /// deletion, a refused HEAD means that nothing is there.
  private func removeVersions(of object: Cleanup) async throws -> CleanupResult {
    var known = object.version
    var isRemoved = false
    for _ in 1...Self.mostVersions {
      let found: HTTPHeaders?
      do {
        found = try await ours(object, known)
      } catch let refusal as S3Refusal where isRemoved && refusal.isOfThisRequestAlone && !refusal.isPage {
        return .removed
      }
      guard let found else {
        guard known != nil else { return isRemoved ? .removed : .absent }
        // The named version is gone. The version before may be ours too.
        known = nil
        continue
      }
      guard object.aim == .remove else { return .left }
      // Delete exactly the version that showed our id, if the storage has versions.
      let version = known ?? Self.version(found)
      if try await !isDeleted(object, version) {
        do {
          try await confirmGone(object, version)
        } catch let error as TransferError where error.kind != .cancelled {
          throw Self.mayHaveActed(error.failure)  // the deletion
        }
      }
      guard version != nil else { return .removed }
      isRemoved = true
      known = nil
    }
    throw Failure(.transient, .stillShown, mayHaveActed: true)
  }

  /// Deletes an object that has just shown our id. Returns false if the answer proves nothing.
  private func isDeleted(_ object: Cleanup, _ version: String?) async throws -> Bool {
    do {
      Failpoint.deleteSending.pass()
      _ = try await send(
        Exchange(method: "DELETE", place: object.address, query: Self.query(version), answer: .nothing))
      Failpoint.deleteAnswered.pass()
      return true
    } catch let refusal as S3Refusal where refusal.isAbsence || refusal.doubt != nil {
      return refusal.isAbsence
    }
  }

  /// Throws if the object still shows our id. A refused HEAD means here that the object is gone: S3 refuses HEAD for a missing
  /// object if the caller lacks the permission to list.
  private func confirmGone(_ object: Cleanup, _ version: String?) async throws {
    do {
      guard try await ours(object, version, isNamed: false) != nil else { return }
    } catch let refusal as S3Refusal where refusal.isOfThisRequestAlone && !refusal.isPage {
      return
    }
    throw Failure(.transient, .stillShown, mayHaveActed: true)
  }

  /// Returns the headers of the object if it is ours; nil if there is no object, or another one.
  /// - Parameter isNamed: true to follow a refusal without a code with a request whose answer has the code.
  private func ours(_ object: Cleanup, _ version: String?, isNamed: Bool = true) async throws -> HTTPHeaders? {
    let query = Self.query(version)
    let response: HTTPResponse
    do {
      do {
        response = try await send(Exchange(method: "HEAD", place: object.address, query: query))
      } catch let refusal as S3Refusal where isNamed && refusal.isNameless {
        // The answer says whether the credentials or only the permission to read is refused.
        response = try await send(.firstByte(of: object.address, query: query))
      }
    } catch let refusal as S3Refusal where refusal.isAbsence {
      return nil
    }
    if Self.shows(object.id, response) { return response.headers }
    // Nobody else has a reason to store a page under a key that contains the job's id.
    guard response.isHTML, object.key.contains(object.id.description) else { return nil }
    throw Failure(
      .destination, .notAStorage(status: 200, method: "HEAD", doubt: .doubtPage), status: 200)
  }

  private static func query(_ version: String?) -> [(name: String, value: String)] {
    version.map { [(name: "versionId", value: $0)] } ?? []
  }
}

extension S3Refusal {
  /// True if the same request would always get the same answer: a permission or the operation is missing.
  fileprivate var isLasting: Bool {
    let isOfBucket = failure.kind == .destination && answer.code == S3Code.noSuchBucket
    return !isPage && (isOfThisRequestAlone || isOfBucket)
      && ((400..<500).contains(answer.status) || answer.status == 501)
  }

  /// True if the refusal may concern the credentials or a permission and does not say which, or if it is a web server's "not
  /// found". Some storages name HTML as the type of an answer without a body, as moto does.
  fileprivate var isNameless: Bool {
    switch answer.status {
    case 400, 403: answer.code == nil
    case 404: isPage
    default: false
    }
  }
}
