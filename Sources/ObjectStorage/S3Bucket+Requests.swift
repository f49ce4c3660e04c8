import HTTPTransfer
import Jobs
import Synchronization

/// A bucket and a key that were fixed at admission.
protocol ObjectPlace: Sendable {
  var bucket: String { get }
  var key: String { get }
}

extension ObjectToStore: ObjectPlace {}
extension ObjectToClear: ObjectPlace {}

extension S3Bucket {
  /// A signed request about one object, and the facts needed to understand the answer.
  struct Exchange {
    var method: String
    var object: any ObjectPlace
    /// True if it is about the bucket and not about the object in it.
    var isOfBucket = false
    var query: [(name: String, value: String)] = []
    var headers: [HTTPHeader] = []
    var body = HTTPRequest.Body.none
    /// SHA-256 of the body in hex, or `UNSIGNED-PAYLOAD`.
    var payloadHash = Exchange.emptyHash
    var isConditional = false
    /// True if sending it twice has the same effect as sending it once.
    var mayBeRepeated = true
    /// Nil for the usual answer of the method: an object that is stored by PUT, or shown.
    var answer: S3Refusal.Answer?
    /// True if its body takes long.
    var isLarge = false
    /// The counter of the bytes that are sent.
    var sent: SentBytes?

    fileprivate var expected: S3Refusal.Answer {
      answer ?? (method == "PUT" ? .stored(bytes: body.count) : .shown)
    }

    /// SHA-256 of no bytes.
    private static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  }

  /// Sends a request that is built just before it is sent.
  ///
  /// Throws ``S3Refusal`` for an answer that is no success, besides the errors of building and transferring.
  func send(_ exchange: Exchange) async throws -> HTTPResponse {
    let used = Mutex<SigningKey?>(nil)
    let response = try await transport.send(traits(of: exchange)) {
      let key = try await self.signingKey()
      used.withLock { $0 = key }
      var request = self.request(exchange, key: key)
      if let identity = self.identity { request.identity = try identity() }
      return request
    }
    var context = S3Refusal.Context(
      method: exchange.method, isConditional: exchange.isConditional, answer: exchange.expected, now: now(),
      storage: options.name, keyNote: options.keyNote)
    context.secrets = used.withLock { [$0?.secret, $0?.sessionToken] }.compactMap(\.self)
    if let refusal = S3Refusal(response, context) { throw refusal }
    return response
  }

  /// The maximum time for a whole answer, as a multiple of the stall time. While a storage assembles a large object from its
  /// parts, it sends a space now and then.
  private static let answerStalls = 10

  /// The traits of a request that is not built and signed yet.
  private func traits(of exchange: Exchange) -> RequestTraits {
    var traits = RequestTraits(isLarge: exchange.isLarge)
    if exchange.isLarge { traits.peer = endpoint.host(of: exchange.object.bucket) }
    if exchange.method == "PUT", case .bytes(let bytes) = exchange.body { traits.pacedBytes = bytes.count }
    return traits
  }

  private func request(_ exchange: Exchange, key: SigningKey) -> HTTPRequest {
    let object = exchange.object
    let place = endpoint.place(of: object.bucket, key: exchange.isOfBucket ? nil : object.key)
    var headers = exchange.headers
    if let userAgent = options.userAgent, !headers.contains(where: { $0.isNamed("User-Agent") }) {
      headers.append(HTTPHeader("User-Agent", userAgent))
    }
    let signed = signer.headers(
      method: exchange.method, host: place.host, path: place.path, query: exchange.query, headers: headers,
      payloadHash: exchange.payloadHash, key: key, time: now())
    let query = exchange.query.isEmpty ? "" : "?" + CanonicalRequest.canonical(exchange.query)
    return HTTPRequest(
      method: exchange.method, url: place.origin + place.path + query, headers: signed, body: exchange.body,
      bodyLimit: exchange.expected.limit, connectTimeout: options.connectTimeout, stallTimeout: options.stallTimeout,
      answerTimeout: options.stallTimeout * Self.answerStalls, caFile: options.caFile,
      mayBeRepeated: exchange.mayBeRepeated, isPaced: exchange.method == "PUT", isLarge: exchange.isLarge,
      sent: exchange.sent)
  }

  /// The headers of an object: its type, those configured for the storage, its tags and lock, and the file's metadata. A header that the object
  /// sets itself is not taken from the storage's.
  func headers(of object: ObjectToStore, conditional: Bool) throws(Failure) -> [HTTPHeader] {
    var headers = [HTTPHeader("Content-Type", object.contentType)]
    headers += MetadataHeaders.of(object.metadata, id: object.id)
    if conditional { headers.append(HTTPHeader("If-None-Match", "*")) }
    for (name, value) in options.headers.sorted(by: { $0.key < $1.key })
    where !headers.contains(where: { $0.isNamed(name) }) {
      headers.append(HTTPHeader(name, value))
    }
    if !options.templates.isEmpty, let facts = object.facts {
      headers += try options.templates.render(facts).filter { own in !headers.contains { $0.isNamed(own.name) } }
    }
    try MetadataHeaders.check(headers)
    return headers
  }
}

extension HTTPRequest.Body {
  /// The number of bytes.
  fileprivate var count: Int64 {
    switch self {
    case .none: 0
    case .bytes(let bytes): Int64(bytes.count)
    case .file(_, _, let length): length
    case .framed(_, _, let frame): frame.length
    }
  }
}
