import HTTPTransfer
public import Jobs
import Settings

/// Bytes that were sent before.
extension S3Bucket {
  /// Reads a file and returns the SHA-256 of its bytes in hex. Nothing is sent. Errors are returned as values, as those of
  /// ``upload(_:)``.
  public func digest(of object: ObjectToStore) async -> Result<String, UploadFailure> {
    do {
      let payload = try await Payload.read(object, .none, digest: true, on: threads(of: object))
      try await payload.confirmUnchanged(object, on: threads(of: object))
      return .success(payload.sums.sha256 ?? "")
    } catch {
      return .failure(Self.failure(of: error))
    }
  }

  /// Looks by HEAD whether an object that was stored before is still there: it shows the id of the job that stored it, and has the
  /// size of its receipt. A storage that does not show it, for whatever reason that concerns it alone, counts as without it. Errors are returned as values.
  public func isThere(_ receipt: UploadReceipt, of id: JobID) async -> Result<Bool, UploadFailure> {
    let query = receipt.version.map { [(name: "versionId", value: $0)] } ?? []
    do {
      let response = try await send(
        Exchange(method: "HEAD", object: BareAddress(bucket: receipt.bucket, key: receipt.key), query: query))
      let size = response.headers[first: "Content-Length"].flatMap { Int64($0) }
      return .success(Self.shows(id, response) && size == receipt.size)
    } catch let refusal as S3Refusal where refusal.isAbsence || refusal.isOfThisRequestAlone {
      // Without the right to list, S3 refuses HEAD for an object that is not there.
      return .success(false)
    } catch {
      return .failure(Self.failure(of: error))
    }
  }
}
