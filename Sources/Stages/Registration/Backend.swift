public import Credentials
public import HTTPTransfer
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
public struct Backend: Sendable {
  /// The secrets that an attempt needs, as they are at that moment.
  public struct Secrets: Equatable, Sendable {
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

  /// The maximum number of bytes of an answer's body that are read and kept.
  public static let bodyLimit = 64 * 1024

  /// Its section of the configuration.
  public let settings: BackendSettings
  let form: RegistrationBody
  /// The headers whose values are in the configuration, by name.
  let headers: [String: String]
  /// The same, sorted by name.
  private let sortedHeaders: [HTTPHeader]
  /// Those of their values that may be secret.
  private let ownSecrets: [String]
  /// The shape of all registrations, without the client certificate.
  private let shape: RequestShape
  private let tokenNote: String?
  let shared: Shared
  let secrets: @Sendable () async throws(CredentialError) -> Secrets
  private let masks = LastMask()
  private let otherToken: (@Sendable (Secret) async -> Bool)?

  /// A backend of these settings.
  ///
  /// - Parameters:
  ///   - tokenNote: the end of the words about a refused token, e.g. that a changed secret is seen only after a restart.
  ///   - secrets: reads the secrets; called again for each request.
  ///   - otherToken: waits for another token than the one that was refused, and returns whether there is one; nil for a token
  ///     that only a person replaces.
  /// - Throws: `TemplateFault` for fields that are no templates, which reading the configuration finds earlier.
  package init(
    _ settings: BackendSettings, _ shared: Shared, tokenNote: String? = nil,
    secrets: @escaping @Sendable () async throws(CredentialError) -> Secrets,
    otherToken: (@Sendable (Secret) async -> Bool)? = nil
  ) throws(TemplateFault) {
    self.settings = settings
    form = RegistrationBody(
      settings.format, fields: try FieldTemplates(settings.fields, captures: settings.captures), host: shared.host)
    headers = settings.headers.compactMapValues(\.text)
    sortedHeaders = headers.sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
    ownSecrets = SecretMask.secrets(of: headers)
    shape = RequestShape(
      method: settings.method.rawValue, connectTimeout: settings.connectTimeout, totalTimeout: settings.timeout,
      caFile: settings.caFile)
    self.tokenNote = tokenNote
    self.otherToken = otherToken
    self.shared = shared
    self.secrets = secrets
  }

  /// One attempt to register. A 2xx is a success unless it is a page of HTML or does not meet ``BackendSettings/success``. Redirects
  /// are not followed. Never throws: errors are returned as values.
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
    } catch  where error.isCancellation {
      return .failure(.cut)
    } catch {
      return .failure(.failed(failure(of: error, hiding: mask(used.withLock(\.self)))))
    }
  }

  /// Sends the request, with the secrets of this moment.
  private func send(_ id: JobID, _ body: [UInt8], _ used: borrowing Mutex<Secrets?>) async throws -> HTTPResponse {
    try await shared.transport.send(RequestTraits()) {
      let secrets = try await self.secrets()
      used.withLock { $0 = secrets }
      return try self.request(id, body, secrets)
    }
  }

  /// A mask for the secrets that a request contained.
  func mask(_ used: Secrets?) -> SecretMask {
    masks.mask(of: used) { SecretMask((used?.texts ?? []) + ownSecrets) }
  }

  /// Builds the request. The value of `Idempotency-Key` is a string in quotes (a structured field,
  /// draft-ietf-httpapi-idempotency-key-header).
  private func request(_ id: JobID, _ body: [UInt8], _ secrets: Secrets) throws -> HTTPRequest {
    var headers: [HTTPHeader] = []
    headers.reserveCapacity(sortedHeaders.count + secrets.headers.count + 8)
    headers += sortedHeaders
    // The names below differ, so only configured ones can be set twice.
    let isConfigured = !headers.isEmpty || !secrets.headers.isEmpty
    func set(_ name: String, _ value: String) {
      if isConfigured { headers.removeAll { $0.isNamed(name) } }
      headers.append(HTTPHeader(name, value))
    }
    if !secrets.headers.isEmpty {
      for (name, value) in secrets.headers.sorted(by: { $0.key < $1.key }) { set(name, value) }
    }
    if !headers.contains(where: { $0.isNamed("Content-Type") }) { set("Content-Type", Self.contentType(of: body)) }
    if !headers.contains(where: { $0.isNamed("User-Agent") }) { set("User-Agent", shared.userAgent) }
    set("Idempotency-Key", Self.quoted(id))
    if let token = secrets.token { set("Authorization", "Bearer \(token.text)") }
    if let secret = secrets.signing {
      let signed = try WebhookSigner(secret: secret).headers(id: id.description, time: shared.now(), body: body)
      for header in signed { set(header.name, header.value) }
    }
    var request = HTTPRequest(shape, url: settings.url, headers: headers, body: .bytes(body), bodyLimit: Self.bodyLimit)
    if let identity = secrets.identity { request.identity = identity }
    return request
  }

  private static func quoted(_ id: JobID) -> String {
    var text = ASCIIText()
    text.append(UInt8(ascii: "\""))
    text.append(id.characters)
    text.append(UInt8(ascii: "\""))
    return text.text
  }

  private func receipt(_ response: HTTPResponse, hiding mask: SecretMask) throws -> RegistrationReceipt {
    let time = shared.now()
    if (200..<300).contains(response.status) {
      if let failure = settings.success.failure(of: response, hiding: mask) { throw failure }
    } else {
      let error = StatusError(response, from: .backend, now: time, hiding: mask)
      guard settings.meansRegistered(error) else { throw error }
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
  /// The attempt failed.
  case failed(Failure)
  /// The task was cancelled or the transport shut down. The backend may still have registered the link.
  case cut
}

/// Keeps the mask of the last secrets, because consecutive requests usually have the same ones.
private final class LastMask: Sendable {
  private let last = Mutex<(secrets: Backend.Secrets?, mask: SecretMask)?>(nil)

  /// Returns the mask for these secrets; `make` makes it if they are not those of the last call.
  func mask(of secrets: Backend.Secrets?, _ make: () -> SecretMask) -> SecretMask {
    last.withLock { last in
      if let last, last.secrets == secrets { return last.mask }
      let mask = make()
      last = (secrets, mask)
      return mask
    }
  }
}
