import Credentials
import HTTPTransfer
import Jobs
import Settings
import Synchronization

/// A bucket and a key; without a key, the bucket itself.
struct ObjectAddress {
  var bucket: String
  var key = ""
  /// The job that requests are about; nil for none.
  var job: JobID?
  /// True if one attempt sends several objects at a time. Their requests are queued like those with long bodies.
  var isOneOfMany = false
}

extension ObjectToStore {
  var address: ObjectAddress { ObjectAddress(bucket: bucket, key: key, job: id, isOneOfMany: isOneOfMany) }
}

extension Cleanup {
  var address: ObjectAddress { ObjectAddress(bucket: bucket, key: key, job: id) }
}

extension S3Bucket {
  /// The content of a request, with the facts needed to understand the answer.
  struct Exchange {
    var method: String
    let place: ObjectAddress
    var query: [(name: String, value: String)] = []
    var headers: [HTTPHeader] = []
    var body = HTTPRequest.Body.none
    var payloadHash = emptyHash
    var isConditional = false
    /// True if sending the request twice has the effect of sending it once.
    var mayBeRepeated = true
    var answer = S3Refusal.Answer.shown
    var hasLongBody = false
    var sent: SentBytes?
    /// The maximum time without data from the storage; nil for the usual one.
    var silence: Duration?
    /// False to leave the customer key out, for an object that may not be encrypted with it.
    var sendsCustomerKey = true

    /// A request for the first byte of an object. Unlike the answer to HEAD, a refusal has a body with its reason.
    static func firstByte(of object: ObjectAddress, query: [(name: String, value: String)] = []) -> Exchange {
      Exchange(
        method: "GET", place: object, query: query, headers: [HTTPHeader("Range", "bytes=0-0")], answer: .slice)
    }

    var isOfBucket: Bool { place.key.isEmpty }
    /// True if the request waits among those that take long.
    var isLarge: Bool { hasLongBody || place.isOneOfMany }
    /// True if the request needs the customer key, because it reads or writes an object's bytes, checksum or ETag ("Request Syntax" of each
    /// operation in the S3 API reference, 2006-03-01, read 2026-11).
    var takesCustomerKey: Bool { sendsCustomerKey && method != "DELETE" && !isOfBucket }

    static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  }

  /// - Throws: ``S3Refusal`` for an answer that is not a success, besides the errors of building and transferring.
  func send(_ exchange: Exchange, key given: SigningKey? = nil, answer: Answer? = nil) async throws -> HTTPResponse {
    if let answer { return try judge(answer, exchange) }
    return try judge(await self.answer(to: exchange, key: given), exchange)
  }

  /// The facts of a request that are known only once it is built.
  struct Contents: Sendable {
    let key: SigningKey
    let customerKey: CustomerKey?
  }

  /// The result of a request that was sent: an answer of any kind, or an error of building or transferring it.
  struct Answer {
    let result: Result<HTTPResponse, any Error>
    /// Nil if the request was not built.
    let contents: Contents?
  }

  /// Sends a request, which is built just before it is sent, and returns the answer unchecked.
  func answer(to exchange: Exchange, key given: SigningKey? = nil) async -> Answer {
    let used = Mutex<Contents?>(nil)
    let result: Result<HTTPResponse, any Error>
    do {
      let response = try await transport.send(traits(of: exchange)) {
        let (request, contents) = try await self.built(exchange, given)
        used.withLock { $0 = contents }
        return request
      }
      result = .success(response)
    } catch {
      result = .failure(error)
    }
    return Answer(result: result, contents: used.withLock(\.self))
  }

  private func built(_ exchange: Exchange, _ given: SigningKey?) async throws -> (HTTPRequest, Contents) {
    let key = if let given { given } else { try await signingKey() }
    var also = configured.ofRequests
    var customerKey: CustomerKey?
    if let read = self.customerKey, exchange.takesCustomerKey {
      let key = try read()
      also += key.headers
      customerKey = key
    }
    var request = request(exchange, also: also, key: key, time: now())
    if let identity { request.identity = try identity() }
    return (request, Contents(key: key, customerKey: customerKey))
  }

  private func judge(_ answer: Answer, _ exchange: Exchange) throws -> HTTPResponse {
    let response = try answer.result.get()
    // Nearly all answers are successes; the context is made only for the others.
    guard !S3Refusal.isSuccess(response, exchange.answer) else { return response }
    throw S3Refusal(
      response,
      S3Refusal.Context(
        exchange: exchange, settings: settings, now: now(), keyNote: keyNote, contents: answer.contents))
  }

  /// The maximum time for a whole answer, in stall times: while S3 assembles an object, it sends a space from time to time.
  static let answerStalls = 10

  private func traits(of exchange: Exchange) -> RequestTraits {
    var traits = RequestTraits(isLarge: exchange.isLarge, rate: rate)
    if exchange.isLarge { traits.peer = endpoint.host(of: exchange.place.bucket) }
    if exchange.method == "PUT", case .bytes(let bytes) = exchange.body { traits.pacedBytes = bytes.count }
    return traits
  }

  func request(_ exchange: Exchange, also: [HTTPHeader], key: SigningKey, time: Timestamp) -> HTTPRequest {
    let location = endpoint.place(of: exchange.place.bucket, key: exchange.isOfBucket ? nil : exchange.place.key)
    var headers = signer.headers(
      method: exchange.method, host: location.host, path: location.path, query: exchange.query,
      headers: also.isEmpty ? exchange.headers : exchange.headers + also,
      payloadHash: exchange.payloadHash, key: key, time: time)
    if let userAgent = shared.userAgent, !headers.contains(where: { $0.isNamed("User-Agent") }) {
      headers.append(HTTPHeader("User-Agent", userAgent))
    }
    // It is not signed, because proxies may change it; SigV4 wants only Host and x-amz-* signed.
    if let job = exchange.place.job, !headers.contains(where: { $0.isNamed(JobID.traceHeader) }) {
      headers.append(HTTPHeader(JobID.traceHeader, job.traceparent(at: time)))
    }
    let url = exchange.query.isEmpty ? location.url : location.url + "?" + CanonicalRequest.canonical(exchange.query)
    var request = HTTPRequest(
      shape(of: exchange), url: url, headers: headers, body: exchange.body, bodyLimit: exchange.answer.limit)
    (request.isPaced, request.isLarge, request.sent) = (exchange.method == "PUT", exchange.isLarge, exchange.sent)
    return request
  }

  private func shape(of exchange: Exchange) -> RequestShape {
    if exchange.method == "PUT", exchange.mayBeRepeated, exchange.silence == nil { return putShape }
    return Self.shape(
      settings, exchange.method, silence: exchange.silence ?? settings.stallTimeout,
      mayBeRepeated: exchange.mayBeRepeated)
  }

  static func shape(
    _ settings: StorageSettings, _ method: String, silence: Duration, mayBeRepeated: Bool = true
  ) -> RequestShape {
    RequestShape(
      method: method, connectTimeout: settings.connectTimeout, stallTimeout: silence,
      answerTimeout: max(settings.stallTimeout * answerStalls, silence), caFile: settings.caFile,
      mayBeRepeated: mayBeRepeated)
  }

  /// The headers of an object: its type, the file's metadata, those configured for the storage, its tags and its lock. A
  /// configured header is left out if the object sets it itself.
  func headers(
    of object: ObjectToStore, sha256: String? = nil, conditional: Bool
  ) throws(Failure) -> [HTTPHeader] {
    var headers: [HTTPHeader] = []
    headers.reserveCapacity(9)
    headers.append(HTTPHeader("Content-Type", object.contentType))
    MetadataHeaders.add(object.metadata, id: object.id, sha256: sha256 ?? object.sha256, to: &headers)
    if conditional { headers.append(HTTPHeader("If-None-Match", "*")) }
    for header in configured.ofObjects where !headers.contains(where: { $0.isNamed(header.name) }) {
      headers.append(header)
    }
    if !templates.isEmpty, let facts = object.facts {
      headers += try templates.render(facts).filter { own in !headers.contains { $0.isNamed(own.name) } }
    }
    return headers
  }
}

struct ConfiguredHeaders: Sendable {
  let ofObjects: [HTTPHeader]
  let ofRequests: [HTTPHeader]

  init(_ headers: [String: String]) {
    let all = headers.sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
    ofObjects = all.filter { !StorageSettings.isOfEachRequest($0.name) }
    ofRequests = all.filter { StorageSettings.isOfEachRequest($0.name) }
  }

  subscript(name: String) -> String? { ofObjects.first { $0.isNamed(name) }?.value }
}
