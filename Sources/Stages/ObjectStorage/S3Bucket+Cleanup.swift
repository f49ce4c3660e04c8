import HTTPTransfer
public import Jobs
import Linux

/// An object, or an upload in parts, that is to be cleaned up in a bucket.
public struct ObjectToClear: Hashable, Sendable {
  /// The job, whose id an object of ours carries.
  public var id: JobID
  /// The bucket that was fixed at the job's admission.
  public var bucket: String
  /// The key that was fixed at the job's admission.
  public var key: String
  /// True if the object is to be deleted; otherwise it is only checked whether the object is there.
  public var remove: Bool
  /// The version that the upload's receipt names.
  public var version: String?
  /// A multipart upload that is to be aborted.
  public var uploadID: String?

  /// Creates the description of a cleanup.
  public init(
    id: JobID, bucket: String, key: String, remove: Bool, version: String? = nil, uploadID: String? = nil
  ) {
    self.id = id
    self.bucket = bucket
    self.key = key
    self.remove = remove
    self.version = version
    self.uploadID = uploadID
  }
}

/// The result of a cleanup.
public enum ClearedObject: Hashable, Sendable {
  /// No object with our id is there.
  case absent
  /// The object was ours and is deleted.
  case removed
  /// The object is ours, and was not to be deleted.
  case left
}

/// The reason why a cleanup could not be done.
public enum ClearFailure: Error, Hashable, Sendable {
  /// The storage refuses, and the same request would not succeed later either.
  case refused(Failure)
  /// It failed in a way that may pass, or that somebody can fix.
  case failed(Failure)
  /// The task was cancelled or the transport shut down.
  case cut
}

extension S3Bucket {
  /// One try to clean up: aborts the multipart upload, looks for the object by HEAD, and deletes it if that is wanted.
  ///
  /// Deletes only an object that shows our id: the key may belong to somebody else by now. See "AbortMultipartUpload" and
  /// "DeleteObject" in the S3 API reference.
  public func clear(_ object: ObjectToClear) async -> Result<ClearedObject, ClearFailure> {
    do {
      if let uploadID = object.uploadID {
        _ = try await hasAborted(uploadID, of: object)
      } else if object.key.contains(object.id.description) {
        // An upload may have been begun although its id never arrived. If the key is not the job's own, an open upload may be
        // another job's.
        try await abortForgotten(object)
      }
      var object = object
      let found: HTTPHeaders?
      do {
        found = try await ours(object)
      } catch let refusal as S3Refusal where Self.isUnknownNull(object.version, refusal) {
        object.version = nil
        found = try await ours(object)
      }
      guard let found else { return .success(.absent) }
      guard object.remove else { return .success(.left) }
      // Exactly the version that showed our id, if the storage has versions.
      var version = object.version ?? Self.version(found)
      let isDeleted: Bool
      do {
        isDeleted = try await self.isDeleted(object, [("versionId", version)])
      } catch let refusal as S3Refusal where Self.isUnknownNull(version, refusal) {
        version = nil
        isDeleted = try await self.isDeleted(object, [])
      }
      if !isDeleted { try await confirmGone(object, version) }
      return .success(.removed)
    } catch let error as TransferError where error.kind == .cancelled {
      return .failure(.cut)
    } catch is CancellationError {
      return .failure(.cut)
    } catch let refusal as S3Refusal where refusal.isLasting {
      return .failure(.refused(refusal.failure))
    } catch {
      return .failure(.failed(Self.adapters.failure(for: error)))
    }
  }

  /// True if a storage does not know in a request the version that it named itself. S3 calls the version of an object "null" if the
  /// bucket kept no versions when it was stored. moto says so of every object, and refuses it in a request.
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

  /// Throws if the object still shows our id. If HEAD is refused now, the object is gone: S3 refuses HEAD for a missing object
  /// if the caller has no right to list.
  private func confirmGone(_ object: ObjectToClear, _ version: String?) async throws {
    var object = object
    object.version = version
    do {
      guard try await ours(object, isNamed: false) != nil else { return }
    } catch let refusal as S3Refusal where refusal.isOfThisRequestAlone && !refusal.isPage {
      return
    }
    throw Failure(.transient, "DELETE was accepted, but HEAD still shows the object", mayHaveActed: true)
  }

  /// Returns the headers of the object if it is ours; nil if there is none or another one.
  ///
  /// - Parameter isNamed: true if a refusal without a code is followed by a request that asks for the code.
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
      .destination, "HTTP 200 to HEAD: \(Self.notAStorage) (\(AnswerDoubt.page.words))", status: 200)
  }

  /// Asks for one byte. The answer to a GET has a body that says whether the key is refused or only the right to read. HEAD
  /// does not say that.
  private func namedAnswer(
    _ object: ObjectToClear, _ query: [(name: String, value: String)]
  ) async throws -> HTTPResponse? {
    do {
      return try await send(
        Exchange(
          method: "GET", object: object, query: query, headers: [HTTPHeader("Range", "bytes=0-0")], answer: .slice))
    } catch let refusal as S3Refusal where refusal.isAbsence {
      return nil
    }
  }

  private static func given(_ name: String, _ value: String?) -> (name: String, value: String)? {
    value.map { (name, $0) }
  }
}

extension S3Refusal {
  /// True if the same request would always get the same answer: a right or the operation is missing.
  fileprivate var isLasting: Bool {
    guard answer.code != S3Code.timeTooSkewed, doubt == nil, !isPage else { return false }
    return switch failure.kind {
    case .rejected: true
    case .destination: (400..<500).contains(answer.status) || answer.status == 501
    case .unavailable, .credentials, .network, .throttled, .transient, .conflict, .file, .fileChanged, .configuration:
      false
    }
  }

  /// True if the refusal may be about the key or about a right and does not say which, or if it says "not found" in the way of a
  /// web server. Some storages name HTML as the type of an answer without a body, as moto does.
  fileprivate var isNameless: Bool {
    switch answer.status {
    case 400, 403: answer.code == nil
    case 404: isPage
    default: false
    }
  }
}
