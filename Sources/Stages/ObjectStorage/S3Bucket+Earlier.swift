import HTTPTransfer
public import Jobs
import Settings

/// Bytes that were sent before.
extension S3Bucket {
  /// Reads a file and returns the SHA-256 of its bytes in hex. Nothing is sent. Errors are returned as values, as those of
  /// ``upload(_:)``.
  public func digest(of object: ObjectToStore) async -> Result<String, UploadFailure> {
    do {
      if goesInParts(object) {
        let source = try await threads(of: object).run { try SourceFile(opening: object) }
        if let known = readSums.digest(object, source) { return .success(known) }
      }
      let payload = try await Payload.read(object, .none, digest: true, on: threads(of: object))
      try await payload.confirmUnchanged(object, on: threads(of: object))
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
    await isThere(bucket: object.bucket, key: object.key, version: nil, size: nil, of: object.id)
  }

  /// Looks by HEAD whether an object that was stored before is still there: it shows the id of the job that stored it, and has the
  /// size of its receipt. A storage that does not show it, for whatever reason that concerns it alone, counts as without it. Errors are returned as values.
  public func isThere(_ receipt: UploadReceipt, of id: JobID) async -> Result<Bool, UploadFailure> {
    await isThere(bucket: receipt.bucket, key: receipt.key, version: receipt.version, size: receipt.size, of: id)
  }

  private func isThere(
    bucket: String, key: String, version: String?, size: Int64?, of id: JobID
  ) async -> Result<Bool, UploadFailure> {
    let query = version.map { [(name: "versionId", value: $0)] } ?? []
    do {
      let response = try await send(
        Exchange(method: "HEAD", object: BareAddress(bucket: bucket, key: key), query: query))
      let shown = response.headers[first: "Content-Length"].flatMap { Int64($0) }
      return .success(Self.shows(id, response) && (size == nil || shown == size))
    } catch let refusal as S3Refusal where refusal.isAbsence || refusal.isOfThisRequestAlone {
      // Without the right to list, S3 refuses HEAD for an object that is not there.
      return .success(false)
    } catch {
      return .failure(Self.failure(of: error))
    }
  }
}
