import HTTPTransfer
public import Jobs
import Linux
import Settings

/// Bytes that were sent before.
extension S3Bucket {
  /// Reads a file and returns the SHA-256 of its bytes in hex. Nothing is sent. Errors are returned as values, as those of
  /// ``upload(_:)``.
  public func digest(of object: ObjectToStore) async -> Result<String, UploadFailure> {
    do {
      if goesInParts(object) {
        let source = try await workers.run { try SourceFile(opening: object) }
        if let known = readSums.digest(object, source) { return .success(known) }
      }
      let payload = try await Payload.read(object, .none, digest: true, on: workers)
      try await payload.confirmUnchanged(object, on: workers)
      let digest = payload.sums.sha256 ?? ""
      if goesInParts(object) { readSums.keep(digest: digest, object, payload.source) }
      return .success(digest)
    } catch {
      return .failure(Self.failure(of: error))
    }
  }

  /// Looks by HEAD whether an object that an earlier attempt may have stored is there: it shows the job's id.
  /// Errors are returned as values.
  public func isThere(_ object: ObjectToStore) async -> Result<Bool, UploadFailure> {
    await isThere(object) { Self.shows(object.id, $0) }
  }

  /// Looks by HEAD whether an object that was stored before is still what its key leads to: it shows the id of the job that stored it, its
  /// size, and its SHA-256, or else its ETag. A storage that does not show it, for whatever reason that concerns it alone, counts as
  /// without it. Errors are returned as values.
  public func isThere(_ receipt: UploadReceipt, of id: JobID) async -> Result<Bool, UploadFailure> {
    await isThere(BareAddress(bucket: receipt.bucket, key: receipt.key)) { response in
      let shown = ShownObject(response, settings.checksum)
      guard Self.shows(id, response), shown.size == nil || shown.size == receipt.size else { return false }
      if shown.size != nil, let sent = shown.sha256, let sha256 = receipt.sha256 { return sent == sha256 }
      let etag = response.headers.bytes(first: "ETag").flatMap(Self.unquoted)
      return etag != nil && etag == receipt.etag
    }
  }

  private func isThere(
    _ object: some ObjectAddress, _ isIt: (HTTPResponse) -> Bool
  ) async -> Result<Bool, UploadFailure> {
    do {
      return .success(isIt(try await send(Exchange(method: "HEAD", object: object))))
    } catch let refusal as S3Refusal where refusal.isAbsence || refusal.isOfThisRequestAlone {
      // Without the right to list, S3 refuses HEAD for an object that is not there.
      return .success(false)
    } catch {
      return .failure(Self.failure(of: error))
    }
  }
}
