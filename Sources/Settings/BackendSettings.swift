public import Credentials
public import Jobs

/// `[backend.NAME]`: where links are registered.
public struct BackendSettings: Hashable, Sendable {
  /// The method of the request.
  public enum Method: String, Choice {
    /// POST, the default.
    case post = "POST"
    /// PUT.
    case put = "PUT"
    /// PATCH.
    case patch = "PATCH"
  }

  /// The form of the request's body.
  public enum Format: String, Choice {
    /// The JSON object of the contract.
    case json
    /// A structured CloudEvent, version 1.0.
    case cloudevents
  }

  /// What a 409 without Retry-After leads to.
  public enum Conflict: String, Choice {
    /// A question.
    case ask
    /// It counts as registered.
    case registered
  }

  /// What a success must be beside a 2xx.
  public struct Success: Hashable, Sendable {
    /// The statuses that count; nil for every 2xx.
    public var statuses: Set<Int>?
    /// The path of names to the member of the JSON answer that must be true; nil for no such member.
    public var member: [String]?
    /// Whether an answer of type `text/html` counts too.
    public var takesHTML = false
  }

  /// The value of a header.
  public enum HeaderValue: Hashable, Sendable {
    /// As it stands in the configuration.
    case text(String)
    /// A secret, read for each attempt.
    case secret(CredentialSource)
  }

  /// The NAME of `[backend.NAME]`.
  public var name: String
  /// Where the request goes; it may have a query.
  public var url: String
  /// The method of the request.
  public var method: Method
  /// The form of the request's body.
  public var format: Format
  /// A JSON object of one's own: templates by field. Empty for the contract's.
  public var fields: [String: String]
  /// Where the bearer token comes from, or nil for none.
  public var token: CredentialSource?
  /// Headers sent with every request, by name as it was written.
  public var headers: [String: HeaderValue]
  /// Where the secret of Standard Webhooks signatures comes from, or nil for none.
  public var signingSecret: CredentialSource?
  /// What a 409 without Retry-After leads to.
  public var conflict: Conflict
  /// What a success must be beside a 2xx.
  public var success: Success
  /// How long one request may take in all.
  public var timeout: Duration
  /// How long connecting may take, TLS included.
  public var connectTimeout: Duration
  /// The file of a private CA (PEM), or nil for the system's.
  public var caFile: String?
  /// How failures are retried: its own `retry`, over `[retry]`.
  public var retry: RetryPolicy
}

extension BackendSettings {
  /// Reads `[backend.NAME]`; nil if a key that must be there is not, or is wrong.
  init?(_ section: inout Section, name: String, retry shared: RetryPolicy, credentials: CredentialCheck) {
    let url = section.requiredText("url", example: "\"https://api.example.com/documents\"")
      .flatMap { section.backendURL("url", $0) }
    method = section.choice("method", default: .post)
    format = section.choice("format", default: .json)
    fields = section.fields("fields")
    token = section.credential("token", example: "{ file = \"/etc/waybill/keys/backend-token\" }", check: credentials)
    headers = section.headers("headers", check: credentials)
    signingSecret = section.credential(
      "signing_secret", example: "{ file = \"/etc/waybill/keys/signing-secret\" }", check: credentials)
    conflict = section.choice("conflict", default: .ask)
    success = section.success("success")
    timeout = section.duration("timeout", default: "30s", in: "1ms"..."1d")
    connectTimeout = section.duration("connect_timeout", default: "10s", in: "1ms"..."1h")
    caFile = section.certificates("ca_file", check: credentials)
    retry = section.retry("retry", over: shared)
    section.finish()
    guard let url else { return nil }
    self.name = name
    self.url = url
  }
}
