import HTTPTransfer
public import Jobs
import Linux
import Messages

/// An object, or uploads in parts, that a job has left in a bucket.
public struct ObjectToClear: Hashable, Sendable {
  /// The job, whose id our object has in its metadata.
  public var id: JobID
  /// The bucket that was fixed at the job's admission.
  public var bucket: String
  /// The key that was fixed at the job's admission.
  public var key: String
  /// What is to become of the object.
  public var aim: Cleanup.Aim
  /// The version in the upload's receipt.
  public var version: String?
  /// The upload in parts that the job knew: the one that the object is made of, if that is in use.
  public var uploadID: String?
  /// True if an upload in parts may have been begun although nobody has heard of it.
  public var mayHaveUploads: Bool

  /// Creates the description of a cleanup.
  public init(
    id: JobID, bucket: String, key: String, aim: Cleanup.Aim, version: String? = nil, uploadID: String? = nil,
    mayHaveUploads: Bool = false
  ) {
    self.id = id
    self.bucket = bucket
    self.key = key
    self.aim = aim
    self.version = version
    self.uploadID = uploadID
    self.mayHaveUploads = mayHaveUploads
  }
}

/// The result of a cleanup.
public enum ClearedObject: Hashable, Sendable {
  /// There is no object with our id.
  case absent
  /// The object was ours, and was deleted.
  case removed
  /// The object is ours, and was not to be deleted.
  case left
}

/// The reason why a cleanup was not done.
public enum ClearFailure: Error, Hashable, Sendable {
  /// The storage refused, and would refuse the same request later too.
  case refused(Failure)
  /// It failed in a way that may pass, or that somebody can fix.
  case failed(Failure)
  /// The task was cancelled or the transport shut down.
  case cut
}

extension S3Bucket {
  /// One attempt at a cleanup: aborts uploads in parts, looks for the object by HEAD, and deletes it if requested.
  ///
  /// It deletes only an object that shows our id, because the key may have been given to another object. See
  /// "AbortMultipartUpload" and "DeleteObject" in the S3 API reference.
  public func clear(_ object: ObjectToClear) async -> Result<ClearedObject, ClearFailure> {
    do {
      if let uploadID = object.uploadID, object.aim != .keep { _ = try await hasAborted(uploadID, of: object) }
      // Others may have been begun although their ids never arrived. If the key does not belong to this job alone, an open
      // upload may be another job's.
      if object.key.contains(object.id.description) {
        // One without parts is not what the object in use was made of.
        try await abortForgotten(object, except: object.uploadID, isShared: object.aim == .keep)
      } else if object.mayHaveUploads, let since = object.id.mintedAt {
        try await abortForgotten(object, since: since, except: object.uploadID, isShared: true)
      }
      if object.aim == .keep { return .success(.absent) }
      return .success(try await removeVersions(of: object))
    } catch  where error.isCancellation {
      return .failure(.cut)
    } catch let refusal as S3Refusal where refusal.isLasting {
      return .failure(.refused(refusal.failure))
    } catch {
      return .failure(.failed(Self.adapters.failure(for: error)))
    }
  }

  /// The largest number of versions that one try deletes.
  private static let mostVersions = 32

  /// Looks for the object and deletes it if requested, and with it the version below it, if that shows our id too: it was stored by an
  /// earlier attempt, and would be the object from then on. After a deletion, as in ``confirmGone(_:_:)``, a refused HEAD means that nothing is
  /// there.
  private func removeVersions(of object: ObjectToClear) async throws -> ClearedObject {
    var object = object
    var isRemoved = false
    for _ in 1...Self.mostVersions {
      let found: HTTPHeaders?
      do {
        found = try await ours(object)
      } catch let refusal as S3Refusal where Self.isUnknownNull(object.version, refusal) {
        object.version = nil
        found = try await ours(object)
      } catch let refusal as S3Refusal where isRemoved && refusal.isOfThisRequestAlone && !refusal.isPage {
        return .removed
      }
      guard let found else {
        guard object.version != nil else { return isRemoved ? .removed : .absent }
        // The version that was named is gone. The one below it may be ours too.
        object.version = nil
        continue
      }
      guard object.aim == .remove else { return .left }
      // Delete exactly the version that showed our id, if the storage has versions.
      var version = object.version ?? Self.version(found)
      let isDeleted: Bool
      do {
        isDeleted = try await self.isDeleted(object, [("versionId", version)])
      } catch let refusal as S3Refusal where Self.isUnknownNull(version, refusal) {
        version = nil
        isDeleted = try await self.isDeleted(object, [])
      }
      if !isDeleted {
        do {
          try await confirmGone(object, version)
        } catch let error as TransferError where error.kind != .cancelled {
          var failure = Self.adapters.failure(for: error)
          failure.mayHaveActed = true  // the deletion
          throw failure
        }
      }
      guard version != nil else { return .removed }
      isRemoved = true
      object.version = nil
    }
    throw Failure(.transient, .stillShown, mayHaveActed: true)
  }

  /// True if a storage refuses the version that it named itself. S3 calls the version of an object "null" if the bucket kept no
  /// versions when the object was stored. moto names it for every object, but refuses it in a request.
  private static func isUnknownNull(_ version: String?, _ refusal: S3Refusal) -> Bool {
    version == "null" && refusal.answer.status == 400
  }

  /// Deletes an object that has just shown our id. Returns false if the answer proves nothing.
  private func isDeleted(
    _ object: ObjectToClear, _ query: [(name: String, value: String?)]
  ) async throws -> Bool {
    do {
      Failpoint.deleteSending.pass()
      _ = try await send(
        Exchange(method: "DELETE", object: object, query: query.compactMap(Self.given), answer: .nothing))
      Failpoint.deleteAnswered.pass()
      return true
    } catch let refusal as S3Refusal where refusal.isAbsence || refusal.doubt != nil {
      return refusal.isAbsence
    }
  }

  /// Throws if the object still shows our id. A refused HEAD means here that the object is gone: S3 refuses HEAD for a missing
  /// object if the caller lacks the permission to list.
  private func confirmGone(_ object: ObjectToClear, _ version: String?) async throws {
    var object = object
    object.version = version
    do {
      guard try await ours(object, isNamed: false) != nil else { return }
    } catch let refusal as S3Refusal where refusal.isOfThisRequestAlone && !refusal.isPage {
      return
    }
    throw Failure(.transient, .stillShown, mayHaveActed: true)
  }

  /// Returns the headers of the object if it is ours; nil if there is no object, or another one.
  ///
  /// - Parameter isNamed: true to follow a refusal without a code with a request whose answer has the code.
  private func ours(_ object: ObjectToClear, isNamed: Bool = true) async throws -> HTTPHeaders? {
    let query = [("versionId", object.version)].compactMap(Self.given)
    let response: HTTPResponse
    do {
      response = try await send(Exchange(method: "HEAD", object: object, query: query))
    } catch let refusal as S3Refusal where refusal.isAbsence {
      return nil
    } catch let refusal as S3Refusal where isNamed && refusal.isNameless {
      guard let answer = try await namedAnswer(object, query) else { return nil }
      response = answer
    }
    if Self.shows(object.id, response) { return response.headers }
    // Nobody else has a reason to store a page under a key that contains the job's id.
    guard response.isHTML, object.key.contains(object.id.description) else { return nil }
    throw Failure(
      .destination, .notAStorage(status: 200, method: "HEAD", doubt: AnswerDoubt.page.message), status: 200)
  }

  /// Requests one byte. The answer says whether the credentials or only the permission to read is refused.
  private func namedAnswer(
    _ object: ObjectToClear, _ query: [(name: String, value: String)]
  ) async throws -> HTTPResponse? {
    do {
      return try await send(.firstByte(of: object, query: query))
    } catch let refusal as S3Refusal where refusal.isAbsence {
      return nil
    }
  }

  private static func given(_ name: String, _ value: String?) -> (name: String, value: String)? {
    value.map { (name, $0) }
  }
}

extension S3Refusal {
  /// True if the same request would always get the same answer: a permission or the operation is missing.
  fileprivate var isLasting: Bool {
    guard answer.code != S3Code.timeTooSkewed, doubt == nil, !isPage else { return false }
    return switch failure.kind {
    case .rejected: true
    case .destination: (400..<500).contains(answer.status) || answer.status == 501
    case .unavailable, .credentials, .network, .throttled, .transient, .conflict, .file, .fileChanged, .configuration:
      false
    }
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
