import HTTPTransfer
public import Jobs

extension S3Bucket {
  /// Looks whether the storage answers, by a HEAD of an object, or of the bucket if there is no key. It changes nothing.
  ///
  /// - Returns: the failure; nil if the object or the bucket was shown, or the object does not exist.
  /// - Throws: `CancellationError` if the task was cancelled or the transport shut down.
  public func look(bucket: String, key: String?) async throws(CancellationError) -> Failure? {
    do {
      _ = try await send(
        Exchange(method: "HEAD", object: BareAddress(bucket: bucket, key: key ?? ""), isOfBucket: key == nil))
      return nil
    } catch let refusal as S3Refusal where refusal.isAbsence {
      if key != nil { return nil }
      var failure = refusal.failure
      failure.kind = .destination
      return failure
    } catch  where error.isCancellation {
      throw CancellationError()
    } catch {
      return Self.adapters.failure(for: error)
    }
  }
}
