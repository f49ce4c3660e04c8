import HTTPTransfer
import Jobs
import Messages
import Settings

/// Checks that an object is really stored: an answer counts only as far as it proves that.
extension S3Bucket {
  /// Looks by HEAD, in the same attempt, for an object whose answer proved nothing.
  ///
  /// - Parameters:
  ///   - sums: the checksums of what was sent.
  ///   - failure: the failure to throw if the object is not there.
  ///   - etag: the ETag of the answer, if it had one.
  /// - Returns: HEAD's answer, which shows our id and the size of the file, or our id and that ETag, and no other checksum.
  func settled(
    _ object: ObjectToStore, _ sums: ObjectSums, sha256: String?, _ failure: Failure, etag: String?
  ) async throws -> HTTPResponse {
    let found = try await shown(object, stored: etag.flatMap { Self.isStrong(Array($0.utf8)[...]) ? $0 : nil }) {
      refusal in
      var failure = failure
      failure.message = .answerAndHead(answer: failure.message, more: refusal.failure.message)
      throw failure
    }
    if case .ours(let shown)? = found {
      switch shown.bytes(sums, sha256: sha256 ?? object.sha256, size: object.expected.size) {
      case .same: return shown.response
      case .unknown:
        // An object with our id and this size may be older. Then only an equal ETag is proof.
        let mayBeOlder = object.mayBeStale || object.mayBeForgotten
        let same = shown.response.headers.bytes(first: "ETag").flatMap(Self.unquoted)
        if !mayBeOlder || same != nil && same == etag.flatMap({ Self.unquoted($0.utf8) }) { return shown.response }
      case .other:
        guard sums.fit(shown.checksum) || shown.size != object.expected.size else {
          throw UploadFailure.corrupted(corruption(.theObject))
        }
      }
    }
    var failure = failure
    failure.message = .answerButHead(answer: failure.message, finding: Self.finding(found))
    throw failure
  }

  /// Looks by HEAD for an object that is stored according to the answer, if the storage has not been proven to keep objects yet.
  ///
  /// - Parameters:
  ///   - sums: the checksums of what was sent.
  ///   - method: the method of the request that was answered.
  ///   - etag: the ETag of the answer.
  func prove(
    _ object: ObjectToStore, _ sums: ObjectSums, sha256: String?, answerTo method: String, etag: String?
  ) async throws {
    guard object.isProbe || !trust.isProven else { return }
    let found = try await shown(object, stored: etag) { refusal in
      guard refusal.isRightMissing else { throw Self.mayHaveActed(refusal.failure) }
      trust.proveWithoutHead(
        "storage.\(settings.name) refuses HEAD (\(refusal.failure.words)): an upload counts as stored by the answer to its \(method) alone"
      )
    }
    switch found {
    case .ours(let shown)? where shown.bytes(sums, sha256: sha256, size: object.expected.size) != .other: trust.prove()
    case nil: break
    case .nobody, .another, .ours:
      throw Failure(
        .destination, .notAStorageHead(method: method, finding: Self.finding(found)), status: 200, mayHaveActed: true)
    }
  }

  /// Returns the owner of the object according to HEAD; nil if HEAD is refused and the closure accepts that.
  func shown(
    _ object: ObjectToStore, stored etag: String? = nil, refused: (S3Refusal) throws -> Void
  ) async throws -> Occupant? {
    do {
      return try await occupant(of: object, stored: etag)
    } catch let refusal as S3Refusal {
      // A failure that may pass is retried later, and so is a refused key.
      if [.unavailable, .credentials, .throttled, .transient].contains(refusal.failure.kind) {
        throw Self.mayHaveActed(refusal.failure)
      }
      try refused(refusal)
      return nil
    } catch let error as TransferError where error.kind != .cancelled {
      throw Self.mayHaveActed(Self.adapters.failure(for: error))
    }
  }

  private static func mayHaveActed(_ failure: Failure) -> Failure {
    var failure = failure
    failure.mayHaveActed = true
    return failure
  }

  private static func finding(_ occupant: Occupant?) -> Message {
    switch occupant {
    case .nobody, nil: .headFindsNone
    case .another: .headShowsAnother(header: MetadataHeaders.id)
    case .ours(let shown): shown.size == nil ? .headShowsNoSize : .headShowsOtherBytes
    }
  }
}

extension S3Refusal {
  /// True if a permission or the operation is missing.
  fileprivate var isRightMissing: Bool {
    doubt == nil && !isPage && isOfThisRequestAlone && !(300..<400).contains(answer.status)
  }
}
