public import Credentials
public import HTTPTransfer
public import Jobs
import Linux
public import Settings
import Messages
import Synchronization

/// Registers links with an HTTP backend: one call is one attempt of step 2.
///
/// The body stays the same for the whole life of the job. The rest of the request, with headers and token, is built just before
/// it is sent.
public struct Backend: Sendable {
  /// The meaning of a 409 without `Retry-After`.
  public typealias Conflict = BackendSettings.Conflict
  /// The form of the body.
  public typealias Format = BackendSettings.Format
  /// The conditions for a success, besides a 2xx.
  public typealias Success = BackendSettings.Success

  /// The secrets of one attempt, with their current values.
  public struct Secrets: Sendable {
    /// The bearer token (RFC 6750); nil for none.
    public var token: Secret?
    /// The values of headers, by name.
    public var headers: [String: String]
    /// The secret of Standard Webhooks signatures; nil for none.
    public var signing: String?
    /// The client certificate; nil for none.
    public var identity: ClientIdentity?

    /// The secrets of one attempt.
    public init(
      token: Secret? = nil, headers: [String: String] = [:], signing: String? = nil, identity: ClientIdentity? = nil
    ) {
      self.token = token
      self.headers = headers
      self.signing = signing
      self.identity = identity
    }

    /// All secret values in the form in which they are sent or used for signing.
    var texts: [String] {
      let signing = signing?.split(separator: " ").map { $0.hasPrefix("whsec_") ? $0.dropFirst("whsec_".count) : $0 }
      return [token?.text].compactMap(\.self) + (signing ?? []).map(String.init) + headers.values
    }
  }

  /// The configured properties of a backend.
  public struct Options: Hashable, Sendable {
    /// The URL that the request goes to.
    public var url: String
    /// The URL for checking whether a backend in trouble is healthy again; nil for none.
    public var health: String?
    /// The method of the request.
    public var method: String
    /// The form of the body.
    public var format: Format
    /// The members of the JSON object; empty for the default ones.
    public var fields: FieldTemplates
    /// Headers sent with every request, by name.
    public var headers: [String: String]
    /// The meaning of a 409 without `Retry-After`.
    public var conflict: Conflict
    /// The conditions for a success, besides a 2xx.
    public var success: Success
    /// The maximum time for one whole request.
    public var timeout: Duration
    /// The maximum time for connecting, TLS included.
    public var connectTimeout: Duration
    /// The file of a private CA (PEM); nil for the system's.
    public var caFile: String?
    /// The proxy; nil to use those that the environment names.
    public var proxy: Proxy?
    /// An addition to the error text about a refused token, e.g. that a changed secret takes effect only after a restart.
    public var tokenNote: String?
    /// The name of this host, for the body.
    public var host: String
    /// The value of `User-Agent`, e.g. `waybill/1.0.0`.
    public var userAgent: String

    /// Options of a backend; the defaults are those of the configuration.
    public init(
      url: String, health: String? = nil, method: String = "POST", format: Format = .json,
      fields: FieldTemplates = .none,
      headers: [String: String] = [:], conflict: Conflict = .ask,
      success: Success = Success(), timeout: Duration = .seconds(30), connectTimeout: Duration = .seconds(10),
      caFile: String? = nil, proxy: Proxy? = nil,
      tokenNote: String? = nil, host: String, userAgent: String
    ) {
      self.url = url
      self.health = health
      self.method = method
      self.format = format
      self.fields = fields
      self.headers = headers
      self.conflict = conflict
      self.success = success
      self.timeout = timeout
      self.connectTimeout = connectTimeout
      self.caFile = caFile
      self.proxy = proxy
      self.tokenNote = tokenNote
      self.host = host
      self.userAgent = userAgent
    }
  }

  /// The maximum number of bytes of an answer's body that are read.
  public static let bodyLimit = 64 * 1024

  /// The configured properties of the backend.
  public let options: Options
  let transport: Transport
  let now: @Sendable () -> Timestamp
  let secrets: @Sendable () async throws(CredentialError) -> Secrets
  private let masks = SecretMasks()
  private let otherToken: (@Sendable (Secret) async -> Bool)?

  /// A backend that is accessed through this transport.
  ///
  /// - Parameters:
  ///   - now: the clock for the time of receipts.
  ///   - secrets: reads the secrets; it is called for each request.
  ///   - otherToken: waits for another token than the refused one, and returns true if there is one. Nil for a token that only a
  ///     person can replace.
  public init(
    _ options: Options, transport: Transport, now: @escaping @Sendable () -> Timestamp,
    secrets: @escaping @Sendable () async throws(CredentialError) -> Secrets,
    otherToken: (@Sendable (Secret) async -> Bool)? = nil
  ) {
    self.options = options
    self.otherToken = otherToken
    self.transport = transport
    self.now = now
    self.secrets = secrets
  }

  /// One attempt to register. A 2xx is a success unless it is an HTML page or does not meet ``Options/success``. Redirects are
  /// not followed. Errors are returned as values.
  ///
  /// - Parameters:
  ///   - id: the job's id, by which the backend can tell that it has already done this.
  ///   - body: the bytes of ``body(of:)``, the same on every attempt.
  public func register(id: JobID, body: [UInt8]) async -> Result<RegistrationReceipt, RegistrationFailure> {
    let used = Mutex<Secrets?>(nil)
    do {
      Failpoint.registerSending.pass()
      var response = try await send(id, body, used)
      Failpoint.registerAnswered.pass()
      // A token may be revoked before it expires. The refused request had no effect, so it may be sent again.
      if response.status == 401, let otherToken, let token = used.withLock({ $0?.token }), await otherToken(token) {
        response = try await send(id, body, used)
      }
      return .success(try receipt(response, hiding: mask(used.withLock(\.self))))
    } catch let error as TransferError where error.kind == .cancelled {
      return .failure(.cut)
    } catch is CancellationError {
      return .failure(.cut)
    } catch {
      return .failure(.failed(failure(of: error, hiding: mask(used.withLock(\.self)))))
    }
  }

  /// Sends the request, with the secrets of this moment.
  private func send(_ id: JobID, _ body: [UInt8], _ used: borrowing Mutex<Secrets?>) async throws -> HTTPResponse {
    try await transport.send(RequestTraits()) {
      let secrets = try await self.secrets()
      used.withLock { $0 = secrets }
      return try self.request(id, body, secrets)
    }
  }

  /// A mask for the secrets that a request contained.
  func mask(_ used: Secrets?) -> SecretMask {
    masks.mask(of: (used?.texts ?? []) + SecretMask.secrets(of: options.headers))
  }

  /// Builds the request. The value of `Idempotency-Key` is a string in quotes (a structured field,
  /// draft-ietf-httpapi-idempotency-key-header).
  private func request(_ id: JobID, _ body: [UInt8], _ secrets: Secrets) throws -> HTTPRequest {
    var headers: [HTTPHeader] = []
    headers.reserveCapacity(options.headers.count + secrets.headers.count + 8)
    for (name, value) in options.headers.sorted(by: { $0.key < $1.key }) { headers.append(HTTPHeader(name, value)) }
    func set(_ name: String, _ value: String) {
      headers.removeAll { $0.isNamed(name) }
      headers.append(HTTPHeader(name, value))
    }
    for (name, value) in secrets.headers.sorted(by: { $0.key < $1.key }) { set(name, value) }
    if !headers.contains(where: { $0.isNamed("Content-Type") }) { set("Content-Type", Self.contentType(of: body)) }
    if !headers.contains(where: { $0.isNamed("User-Agent") }) { set("User-Agent", options.userAgent) }
    set("Idempotency-Key", Self.quoted(id))
    if let token = secrets.token { set("Authorization", "Bearer \(token.text)") }
    if let secret = secrets.signing {
      let signed = try WebhookSigner(secret: secret).headers(id: id.description, time: now(), body: body)
      for header in signed { set(header.name, header.value) }
    }
    return HTTPRequest(
      method: options.method, url: options.url, headers: headers, body: .bytes(body), bodyLimit: Self.bodyLimit,
      connectTimeout: options.connectTimeout, totalTimeout: options.timeout, caFile: options.caFile,
      identity: secrets.identity, proxy: options.proxy)
  }

  private static func quoted(_ id: JobID) -> String {
    var text = ASCIIText()
    text.append(UInt8(ascii: "\""))
    text.append(id.characters)
    text.append(UInt8(ascii: "\""))
    return text.text
  }

  private func receipt(_ response: HTTPResponse, hiding mask: SecretMask) throws -> RegistrationReceipt {
    let time = now()
    if (200..<300).contains(response.status) {
      if let failure = options.success.failure(of: response, hiding: mask) { throw failure }
    } else {
      let error = StatusError(response, from: .backend, now: time, hiding: mask)
      // A Retry-After means that the first request is still in progress.
      guard response.status == 409, error.retryAfter == nil, options.conflict == .registered else { throw error }
    }
    return RegistrationReceipt(
      status: response.status, location: response.headers[first: "Location"].map(mask.hiding),
      body: String(decoding: mask.hiding(in: response).prefix(Self.bodyLimit), as: UTF8.self), registeredAt: time)
  }

  /// The failure for an error, without the secrets that the request contained.
  func failure(of error: any Error, hiding mask: SecretMask) -> Failure {
    var failure = Self.adapters.failure(for: error)
    failure.message = failure.message.changed { mask.hiding(in: $0) }
    if failure.kind == .credentials, failure.status != nil, let note = options.tokenNote {
      failure.message = .answerWithNote(answer: failure.message, note: note)
    }
    return failure
  }

  /// The adapters that turn an error into a failure, in the order in which they are tried.
  static let adapters = FailureAdapters(
    [
      FailureAdapter(for: CredentialError.self) { Failure(.credentials, $0.reason) },
      FailureAdapter(for: WebhookSecretError.self) { Failure(.credentials, .text($0.description)) },
    ]
      + FailureAdapters.standard.adapters)
}

/// The reason why an attempt ended without a receipt.
public enum RegistrationFailure: Error, Hashable, Sendable {
  /// The attempt failed.
  case failed(Failure)
  /// The task was cancelled or the transport shut down. The backend may still have registered the link.
  case cut
}
