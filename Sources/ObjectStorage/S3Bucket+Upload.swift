import Failures
import FoundationEssentials
import HTTPTransfer
public import Jobs

extension S3Bucket {
  /// One attempt to store an object: opens and hashes the file, sends it, and looks whether it changed meanwhile.
  ///
  /// A 412 is settled by HEAD in the same attempt. Where an earlier answer was lost, HEAD is asked before any byte is sent
  /// again. Never throws: what goes wrong is a value.
  public func upload(_ object: ObjectToStore) async -> Result<UploadReceipt, UploadFailure> {
    do {
      return .success(try await attempt(object))
    } catch let failure as UploadFailure {
      return .failure(failure)
    } catch let error as TransferError where error.kind == .cancelled {
      return .failure(.cut)
    } catch is CancellationError {
      return .failure(.cut)
    } catch {
      return .failure(.failed(Self.adapters.failure(for: error)))
    }
  }

  private func attempt(_ object: ObjectToStore) async throws -> UploadReceipt {
    guard object.expected.size <= Self.singlePutLimit else {
      throw Failure(
        .rejected, "the file has \(object.expected.size) bytes, and a single PUT takes at most \(Self.singlePutLimit)")
    }
    let payload = try await Payload.read(object, on: workers)
    if object.mayBeStored, !object.mayBeStale, let receipt = try await stored(object, payload) { return receipt }
    do {
      return try await put(object, payload, conditional: !options.overwrite)
    } catch let refusal as S3Refusal where refusal.isPreconditionFailed {
      return try await settle(object, payload)
    }
  }

  private func put(_ object: ObjectToStore, _ payload: Payload, conditional: Bool) async throws -> UploadReceipt {
    let headers = headers(of: object, conditional: conditional)
    try MetadataHeaders.check(headers)
    let response: HTTPResponse
    do {
      response = try await send(
        Exchange(
          method: "PUT", object: object, headers: headers, payload: payload, isConditional: conditional))
    } catch let refusal as S3Refusal where refusal.isHashRefused {
      try await payload.confirmUnchanged(object, on: workers)
      throw refusal
    } catch let error as TransferError where error.kind == .readFailed {
      try await payload.confirmUnchanged(object, on: workers)
      throw error
    }
    try await payload.confirmUnchanged(object, on: workers)
    return receipt(object, payload, response)
  }

  /// The receipt of an earlier attempt whose answer was lost, if HEAD shows our id and the size fits; nil means: send it.
  /// A HEAD that is refused (it needs other rights than PUT) says nothing either way.
  private func stored(_ object: ObjectToStore, _ payload: Payload) async throws -> UploadReceipt? {
    let response: HTTPResponse
    do {
      response = try await send(Exchange(method: "HEAD", object: object))
    } catch is S3Refusal {
      return nil
    }
    guard response.headers[first: MetadataHeaders.id] == object.id.description,
      response.headers[first: "Content-Length"].flatMap({ Int64($0) }) == object.expected.size
    else { return nil }
    try await payload.confirmUnchanged(object, on: workers)
    return receipt(object, payload, response)
  }

  /// An object with the key is there. It is ours if and only if it shows our id; then it counts as uploaded if it can
  /// hold nothing but these bytes, and is written over if not.
  private func settle(_ object: ObjectToStore, _ payload: Payload) async throws -> UploadReceipt {
    let response: HTTPResponse
    do {
      response = try await send(Exchange(method: "HEAD", object: object))
    } catch let refusal as S3Refusal where refusal.answer.status == 404 {
      throw Failure(
        .transient, "HTTP 412: an object with this key exists; but HEAD finds none", status: 412,
        code: "PreconditionFailed")
    } catch let refusal as S3Refusal {
      // It may be ours: libcurl sends a request again by itself where a kept connection turns out to be dead.
      var failure = refusal.failure
      failure.mayHaveActed = true
      throw failure
    }
    guard response.headers[first: MetadataHeaders.id] == object.id.description else {
      throw Failure(
        .rejected, "HTTP 412: an object with this key exists and is not ours", status: 412, code: "PreconditionFailed")
    }
    let size = response.headers[first: "Content-Length"].flatMap { Int64($0) }
    guard size == object.expected.size, !object.mayBeStale else {
      return try await put(object, payload, conditional: false)
    }
    try await payload.confirmUnchanged(object, on: workers)
    return receipt(object, payload, response)
  }

  private func receipt(_ object: ObjectToStore, _ payload: Payload, _ response: HTTPResponse) -> UploadReceipt {
    UploadReceipt(
      bucket: object.bucket, key: object.key, size: object.expected.size,
      etag: response.headers[first: "ETag"].flatMap(Self.unquoted),
      version: response.headers[first: "x-amz-version-id"], sha256: Hex.text(payload.sha256),
      checksum: Checksum(algorithm: "sha256", type: .full, value: Data(payload.sha256).base64EncodedString()),
      contentType: object.contentType, uploadedAt: now())
  }

  /// The ETag without its quotes (RFC 9110, 8.8.3); nil for an empty one.
  private static func unquoted(_ etag: String) -> String? {
    var text = etag[...]
    if text.hasPrefix("W/") { text = text.dropFirst(2) }
    if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") { text = text.dropFirst().dropLast() }
    return text.isEmpty ? nil : String(text)
  }
}
