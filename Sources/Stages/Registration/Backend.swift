package import Credentials
import HTTPTransfer
public import Jobs
import Linux
import Seams
public import Settings
import Messages
import Synchronization

/// Registers links with an HTTP backend: one call is one attempt of step 2.
///
/// The body stays the same for the whole life of the job. The rest of the request, with headers and token, is built just before
/// it is sent.
public final class Backend: Sendable {
  /// The secrets that an attempt needs, as they are at that moment.
  package struct Secrets: Equatable, Sendable {
    /// The bearer token (RFC 6750); nil for none.
    var token: Secret?
    var headers: [String: String] = [:]
    /// The secret of Standard Webhooks signatures; nil for none.
    var signing: String?
    var identity: ClientIdentity?

    var texts: [String] {
      let signing = signing?.split(separator: " ").map { $0.hasPrefix("whsec_") ? $0.dropFirst("whsec_".count) : $0 }
      return [token?.text].compactMap(\.self) + (signing ?? []).map(String.init) + headers.values
    }
  }

  /// The maximum number of bytes of an answer's body that are read and kept.
  public static let bodyLimit = 64 * 1024

  /// The backend's section of the configuration.
  public let settings: BackendSettings
  let form: RegistrationBody
  let url: URLTemplate
  /// The headers whose values are in the configuration, sorted by name.
  private let ownHeaders: [HTTPHeader]
  /// The values of these headers that may be secret.
  private let ownSecrets: [String]
  /// The shape of all registrations, without the client certificate.
  private let shape: RequestShape
  private let tokenNote: String?
  let shared: Shared
  /// The name of the limit of requests a second; nil for none.
  let rate: String?
  let secrets: @Sendable () async throws(CredentialError) -> Secrets
  private let masks = LastValue<Secrets?, SecretMask>()
  private let otherToken: (@Sendable (Secret) async -> Bool)?

  /// A backend of these settings. The secrets are read again for each request.
  /// - Parameters:
  ///   - tokenNote: the end of the words about a refused token, e.g. that a changed secret is seen only after a restart.
  ///   - otherToken: waits for another token than the refused one, and returns whether there is one; nil if only a person replaces it.
  /// - Throws: `TemplateFault`, which reading the configuration detects earlier.
  package init(
    _ settings: BackendSettings, _ shared: Shared, tokenNote: String? = nil,
    secrets: @escaping @Sendable () async throws(CredentialError) -> Secrets,
    otherToken: (@Sendable (Secret) async -> Bool)? = nil
  ) throws(TemplateFault) {
    self.settings = settings
    form = RegistrationBody(
      settings.format, fields: try FieldTemplates(settings.fields, captures: settings.captures), host: shared.host)
    url = try URLTemplate(settings.url, captures: settings.captures)
    let headers = settings.headers.compactMapValues(\.text)
    ownHeaders = headers.sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
    ownSecrets = SecretMask.secrets(of: headers)
    shape = Self.shape(settings.method.rawValue, settings)
    self.tokenNote = tokenNote
    self.otherToken = otherToken
    self.shared = shared
    self.rate = settings.rate.map { _ in Destination.backend(settings.name).text }
    self.secrets = secrets
  }

  static func shape(_ method: String, _ settings: BackendSettings, _ identity: ClientIdentity? = nil) -> RequestShape {
    RequestShape(
      method: method, connectTimeout: settings.connectTimeout, totalTimeout: settings.timeout, caFile: settings.caFile,
      identity: identity)
  }

  /// One attempt to register. A 2xx is a success unless it is a page of HTML or does not meet ``BackendSettings/success``. Redirects are
  /// not followed. Errors are returned as values.
  /// - Parameters:
  ///   - body: the bytes of ``body(of:)``, the same on every attempt.
  ///   - mayVerify: true if the body may ask the backend whether the upload is there (``StoredDocument/asksBackend``).
  public func register(
    _ document: StoredDocument, body: [UInt8], mayVerify: Bool = false
  ) async -> Result<RegistrationReceipt, RegistrationFailure> {
    let verifies = mayVerify && RegistrationBody.asks(body)
    let url: String
    do throws(Failure) {
      url = try self.url.url(of: document, host: shared.host)
    } catch {
      return .failure(.failed(error))
    }
    let job = document.ticket.id
    return await ask(Call(shape: shape, url: url, id: document.id ?? job, job: job, body: body)) {
      try receipt($0, verifies: verifies, hiding: $1)
    }
  }

  struct Call {
    let shape: RequestShape
    let url: String
    let id: JobID
    let job: JobID
    let body: [UInt8]
    var answerLimit = bodyLimit
  }

  /// Sends a request and reads its answer. Errors are returned as values.
  func ask<Receipt>(
    _ call: Call, _ read: (HTTPResponse, SecretMask) throws -> Receipt
  ) async -> Result<Receipt, RegistrationFailure> {
    let used = Mutex<Secrets?>(nil)
    do {
      Failpoint.registerSending.pass()
      var response = try await send(call, used)
      Failpoint.registerAnswered.pass()
      // A token may be revoked before it expires. The refused request had no effect, so it may be sent again.
      if response.status == 401, let otherToken, let token = used.withLock({ $0?.token }), await otherToken(token) {
        response = try await send(call, used)
      }
      return .success(try read(response, mask(used.withLock(\.self))))
    } catch  where error.isCancellation {
      return .failure(.cut)
    } catch {
      return .failure(.failed(failure(of: error, hiding: mask(used.withLock(\.self)))))
    }
  }

  private func send(_ call: Call, _ used: borrowing Mutex<Secrets?>) async throws -> HTTPResponse {
    try await shared.transport.send(RequestTraits(rate: rate)) {
      let secrets = try await self.secrets()
      used.withLock { $0 = secrets }
      return try self.request(call, secrets)
    }
  }

  func mask(_ used: Secrets?) -> SecretMask {
    masks.value(for: used) { SecretMask((used?.texts ?? []) + ownSecrets) }
  }

  /// The value of `Idempotency-Key` is a string in quotes (a structured field, draft-ietf-httpapi-idempotency-key-header).
  private func request(_ call: Call, _ secrets: Secrets) throws -> HTTPRequest {
    let (id, body) = (call.id, call.body)
    var headers = headers(secrets)
    if !headers.contains(where: { $0.isNamed("Content-Type") }) {
      headers.append(HTTPHeader("Content-Type", Self.contentType(of: body)))
    }
    if !headers.contains(where: { $0.isNamed(JobID.traceHeader) }) {
      headers.append(HTTPHeader(JobID.traceHeader, call.job.traceparent(at: shared.now())))
    }
    Self.set("Idempotency-Key", "\"\(id)\"", in: &headers)
    if let secret = secrets.signing {
      let signed = try WebhookSigner(secret: secret).headers(id: id.description, time: shared.now(), body: body)
      for header in signed { Self.set(header.name, header.value, in: &headers) }
    }
    var request = HTTPRequest(
      call.shape, url: call.url, headers: headers, body: .bytes(body), bodyLimit: call.answerLimit)
    if let identity = secrets.identity { request.identity = identity }
    return request
  }

  /// The headers that do not depend on a registration: the configured ones, `User-Agent` and `Authorization`.
  func headers(_ secrets: Secrets) -> [HTTPHeader] {
    var headers: [HTTPHeader] = []
    headers.reserveCapacity(ownHeaders.count + secrets.headers.count + 8)
    headers += ownHeaders
    for (name, value) in secrets.headers.sorted(by: { $0.key < $1.key }) { Self.set(name, value, in: &headers) }
    if !headers.contains(where: { $0.isNamed("User-Agent") }) {
      headers.append(HTTPHeader("User-Agent", shared.userAgent))
    }
    if let token = secrets.token { Self.set("Authorization", "Bearer \(token.text)", in: &headers) }
    return headers
  }

  private static func set(_ name: String, _ value: String, in headers: inout [HTTPHeader]) {
    headers.removeAll { $0.isNamed(name) }
    headers.append(HTTPHeader(name, value))
  }

  /// The condition for answers to bodies that ask for the upload.
  private static let verified = BackendSettings.Success(members: [.init(["verified"])])

  private func receipt(
    _ response: HTTPResponse, verifies: Bool, hiding mask: SecretMask
  ) throws -> RegistrationReceipt {
    let time = shared.now()
    if (200..<300).contains(response.status) {
      if let failure = settings.success.failure(of: response, hiding: mask) { throw failure }
    } else if !settings.meansRegistered(response) {
      throw StatusError(response, from: .backend, now: time, hiding: mask)
    }
    if verifies, var failure = Self.verified.failure(of: response, hiding: mask) {
      failure.message = .uploadUnverified(answer: failure.message)
      throw failure
    }
    return RegistrationReceipt(
      status: response.status, location: response.headers[first: "Location"].map(mask.hiding),
      body: String(decoding: mask.hiding(in: response).prefix(Self.bodyLimit), as: UTF8.self), registeredAt: time)
  }

  /// The failure for an error, without the secrets that the request contained.
  func failure(of error: any Error, hiding mask: SecretMask) -> Failure {
    var failure = Failure(for: error)
    failure.message = failure.message.changed { mask.hiding(in: $0) }
    if failure.kind == .credentials, failure.status != nil, let note = tokenNote {
      failure.message = .answerWithNote(answer: failure.message, note: note)
    }
    return failure
  }
}

/// The reason why an attempt ended without a receipt.
public enum RegistrationFailure: Error, Hashable, Sendable {
  case failed(Failure)
  /// The task was cancelled or the transport shut down. The backend may still have registered the link.
  case cut
}
