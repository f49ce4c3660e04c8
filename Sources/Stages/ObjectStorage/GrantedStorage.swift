import FoundationEssentials
import HTTPTransfer
package import Jobs
import Linux
import Messages
import Seams
package import Settings
import XML

/// Stores objects by what a backend grants for each: one call of ``upload(_:)`` is one attempt of step 1.
///
/// Each attempt asks for a new grant, and for one more if the time of the first is over. The backend decides whose object is under a URL;
/// nothing is listed, shown or removed here.
package struct GrantedStorage: StorageStage {
  /// Sends the request for a grant, for the job with the id; returns the body of the answer.
  package typealias Ask = @Sendable (JobID, [UInt8]) async throws -> [UInt8]

  private let settings: GrantedSettings
  private let shared: S3Bucket.Shared
  private let ask: Ask
  /// The name of the limit of requests a second; nil for none.
  private let rate: String?

  package init(_ settings: GrantedSettings, _ shared: S3Bucket.Shared, ask: @escaping Ask) {
    self.settings = settings
    self.shared = shared
    self.ask = ask
    rate = settings.rate.map { _ in Destination.storage(settings.name).text }
  }

  package func upload(_ object: ObjectToStore) async -> Result<UploadReceipt, UploadFailure> {
    do {
      let payload = try await Payload.read(
        object, .none, digest: settings.tellsDigest || settings.digest, on: shared.workers)
      do {
        return .success(try await store(object, payload))
      } catch let refusal as UploadGrant.Refusal where refusal.isOfTime {
        return .success(try await store(object, payload))
      }
    } catch {
      return .failure(S3Bucket.failure(of: error))
    }
  }

  private func store(_ object: ObjectToStore, _ payload: Payload) async throws -> UploadReceipt {
    let answer = try await ask(object.id, request(object, payload))
    let grant = try UploadGrant(answer, size: object.expected.size, settings, now: shared.now())
    let response: HTTPResponse
    do {
      response = try await send(object, payload, by: grant)
    } catch let error as TransferError where error.kind == .readFailed {
      try await payload.confirmUnchanged(on: shared.workers)
      throw error
    }
    do {
      try await payload.confirmUnchanged(on: shared.workers)
    } catch let error as FileError {
      throw S3Bucket.mayHaveActed(error.failure)
    }
    var stored = StoredObject(response)
    if grant.parts != nil, let etag = XMLElement.parse(response.body)?["ETag"]?.text {
      stored = StoredObject(etag: etag, version: stored.version)
    } else if !Self.hasETag(response) {
      stored.etag = nil
    }
    var isProven = stored.etag != nil
    if !isProven, let shown = try await shown(object, grant, after: response.status) {
      (stored.etag, isProven) = (shown.etag, true)
    }
    var receipt = UploadReceipt(object, payload.sums, stored, at: shared.now())
    receipt.granted = .init(locator: grant.locator, isProven: isProven)
    return receipt
  }

  /// True if an answer has the ETag of an object. Frameworks give each page of theirs a weak one.
  private static func hasETag(_ response: HTTPResponse) -> Bool {
    response.headers.bytes(first: "ETag").map { S3Bucket.isStrong($0) } ?? false
  }

  private func request(_ object: ObjectToStore, _ payload: Payload) -> [UInt8] {
    let facts = object.facts
    var json = JSONText(capacity: 512)
    json.object { members in
      members.member("id", object.id.description)
      members.member("name", facts?.name.text)
      if let name = facts?.name, !name.isUTF8 {
        members.member("name_base64", Data(name.bytes).base64EncodedString())
      }
      members.member("path", facts.map { FileName(bytes: $0.path).text })
      members.member("spool", facts?.spool)
      members.member("host", facts?.host)
      members.member("key", object.key)
      members.member("size", object.expected.size)
      members.member("content_type", object.contentType)
      members.member("sha256", settings.tellsDigest ? payload.sums.sha256 : nil)
      members.member("metadata", facts?.metadata ?? [:])
    }
    return json.bytes
  }
}

extension GrantedStorage {
  private func send(_ object: ObjectToStore, _ payload: Payload, by grant: UploadGrant) async throws -> HTTPResponse {
    guard let (size, urls) = grant.parts else {
      Failpoint.putSending.pass()
      let response = try await send(grant.call, grant, grant.headers, payload.body, of: object)
      Failpoint.putAnswered.pass()
      return response
    }
    var parts: [PartTransfer.Sent] = []
    for (index, url) in urls.enumerated() {
      let offset = Int64(index) * size
      let body = HTTPRequest.Body.file(
        payload.source.file, offset: offset, length: min(size, object.expected.size - offset))
      Failpoint.partSending.pass()
      let response = try await send(.init(method: "PUT", url: url), grant, grant.headers, body, of: object)
      Failpoint.partAnswered.pass()
      guard let etag = response.headers[first: "ETag"], Self.hasETag(response) else {
        let words = Message.notAStorage(status: response.status, method: "PUT", doubt: .doubtNoEtag)
        throw Failure(.destination, words, status: response.status)
      }
      parts.append(.init(number: index + 1, etag: etag, sums: payload.sums.parts[0], showsChecksum: false))
    }
    try await payload.confirmUnchanged(on: shared.workers)
    Failpoint.completeSending.pass()
    let list = grant.isJSON ? Self.list(parts) : Array(S3Bucket.document(parts).utf8)
    // Frameworks read JSON only where it is named.
    let headers = grant.isJSON ? [HTTPHeader("Content-Type", "application/json")] : []
    let response = try await send(grant.call, grant, headers, .bytes(list))
    Failpoint.completeAnswered.pass()
    return response
  }

  private static func list(_ parts: [PartTransfer.Sent]) -> [UInt8] {
    var json = JSONText(capacity: 64 * parts.count)
    json.object {
      $0.member(
        "parts",
        array: { elements in
          for part in parts {
            elements.object { members in
              members.member("number", Int64(part.number))
              members.member("etag", part.etag)
            }
          }
        })
    }
    return json.bytes
  }

  /// Sends a request if the grant's time is not over when its turn comes.
  /// - Parameter object: the object whose bytes are the body; nil for the request that ends an upload in parts.
  /// - Throws: ``UploadGrant/Refusal`` for an answer that is no success, besides the errors of the transfer.
  private func send(
    _ call: UploadGrant.Call, _ grant: UploadGrant, _ headers: [HTTPHeader], _ body: HTTPRequest.Body,
    of object: ObjectToStore? = nil
  ) async throws -> HTTPResponse {
    var request = request(
      call, headers, body, silence: object == nil ? settings.completeTimeout : settings.stallTimeout)
    request.isPaced = object != nil
    request.isLarge = object.map { $0.expected.size >= Job.leastLarge } ?? false
    request.sent = object?.sent
    // One host's long bodies must not keep back those of other storages.
    var traits = RequestTraits(
      peer: request.isLarge ? "granted:\(settings.name)" : "", isLarge: request.isLarge, rate: rate)
    if request.isPaced, case .bytes(let bytes) = body { traits.pacedBytes = bytes.count }
    let response = try await shared.transport.send(traits) { [request] in
      let now = shared.now()
      guard !grant.isOver(now) else {
        let words = Message.grantOver(end: grant.expiresAt?.rfc3339 ?? "", now: now.rfc3339)
        throw UploadGrant.Refusal(failure: settings.fault("expires_at", words), isOfTime: true)
      }
      return request
    }
    if let refusal = grant.refusal(response, to: call, sending: body.count, now: shared.now()) { throw refusal }
    return response
  }

  private func request(
    _ call: UploadGrant.Call, _ headers: [HTTPHeader] = [], _ body: HTTPRequest.Body = .none, silence: Duration
  ) -> HTTPRequest {
    var headers = headers
    if let userAgent = shared.userAgent, !headers.contains(where: { $0.isNamed("User-Agent") }) {
      headers.append(HTTPHeader("User-Agent", userAgent))
    }
    return HTTPRequest(
      RequestShape(
        method: call.method, connectTimeout: settings.connectTimeout, stallTimeout: silence,
        answerTimeout: max(settings.stallTimeout * S3Bucket.answerStalls, silence), caFile: settings.caFile,
        mayBeRepeated: call.method != "POST"),
      url: call.url, headers: headers, body: body, bodyLimit: XMLElement.limit)
  }

  /// Looks for the object at the grant's `head_url`.
  /// - Returns: what HEAD shows of an object with all bytes; nil if nothing is shown, so that only the backend can prove the upload.
  /// - Throws: a failure if there is no object, or another one, and the errors of the transfer.
  private func shown(_ object: ObjectToStore, _ grant: UploadGrant, after status: Int) async throws -> StoredObject? {
    guard let url = grant.headURL else { return nil }
    let call = UploadGrant.Call(method: "HEAD", url: url)
    Failpoint.headSending.pass()
    let response = try await shared.transport.send(RequestTraits(rate: rate)) {
      request(call, silence: settings.stallTimeout)
    }
    Failpoint.headAnswered.pass()
    let finding: Message
    switch response.status {
    case 200:
      let size = response.headers[first: "Content-Length"]
      if size.flatMap({ Int64($0) }) == object.expected.size { return StoredObject(response) }
      finding = size == nil ? .headShowsNoSize : .headShowsOtherBytes
    case 404: finding = .headFindsNone
    case 429, 500...:
      guard let refusal = grant.refusal(response, to: call, sending: 0, now: shared.now()) else { return nil }
      throw S3Bucket.mayHaveActed(refusal.failure)
    default: return nil
    }
    let words = Message.answerButHead(answer: .httpStatus(status: status), finding: finding)
    throw Failure(.transient, words, status: response.status, mayHaveActed: true)
  }
}

extension GrantedStorage {
  package var wantsFacts: Bool { true }
  package var overwrites: Bool { false }
  package var landing: Duration { settings.completeTimeout }

  package func goesInParts(_ object: ObjectToStore) -> Bool { false }

  package func digest(of object: ObjectToStore) async -> Result<String, UploadFailure> {
    do {
      let payload = try await Payload.read(object, .none, digest: true, on: shared.workers)
      try await payload.confirmUnchanged(on: shared.workers)
      return .success(payload.sums.sha256 ?? "")
    } catch {
      return .failure(S3Bucket.failure(of: error))
    }
  }

  /// The upload is sent again, under a new grant.
  package func isThere(_ object: ObjectToStore) async -> Result<Bool, UploadFailure> { .success(false) }

  /// The backend has taken its registration.
  package func isThere(_ receipt: UploadReceipt, of id: JobID) async -> Result<Bool, UploadFailure> { .success(true) }

  package func look(bucket: String, key: String?) async throws(CancellationError) -> Failure? { nil }

  package func clear(_ object: Cleanup, verdict: (Failure) -> Verdict) async -> CleanupResult { Self.clear(object) }

  /// Ends a cleanup of an upload that was granted.
  package static func clear(_ object: Cleanup) -> CleanupResult {
    object.aim == .keep ? .absent : .refused(Failure(.rejected, .grantedStays))
  }

  package func proveNext() {}
}
