public import Credentials
public import Jobs

/// `[backend.NAME]`: a backend that registers links.
public struct BackendSettings: Hashable, Sendable {
  /// The method of the request; POST by default.
  public enum Method: String, Choice {
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
  }

  /// The form of the request's body.
  public enum Format: String, Choice {
    case json
    /// A structured CloudEvent, version 1.0.
    case cloudEvents = "cloudevents"
    /// `application/x-www-form-urlencoded` (URL Standard, section 5).
    case form
  }

  /// The effect of a 409 without Retry-After.
  public enum Conflict: String, Choice {
    case ask
    case registered
  }

  /// The conditions for a success besides a 2xx.
  public struct Success: Hashable, Sendable {
    /// The statuses that count; nil for every 2xx.
    public var statuses: Set<Int>?
    /// The members that the JSON answer must have.
    public var members: [Member] = []
    /// The words of the answer, whatever white space is around them; nil for any.
    public var text: String?

    /// Creates conditions; by default a 2xx that is not a page of HTML.
    public init(statuses: Set<Int>? = nil, members: [Member] = [], text: String? = nil) {
      self.statuses = statuses
      self.members = members
      self.text = text
    }

    /// True if a condition is about the content of the answer.
    public var readsContent: Bool { !members.isEmpty || text != nil }
  }

  /// A member that a JSON answer must have.
  public struct Member: Hashable, Sendable {
    /// The names that lead to it.
    public var path: [String]
    /// Its value; an empty list also for null and for no member.
    public var value: FieldValue<String>

    /// Creates a member; by default one that is true.
    public init(_ path: [String], _ value: FieldValue<String> = .constant("true")) {
      self.path = path
      self.value = value
    }
  }

  /// The value of a header.
  public enum HeaderValue: Hashable, Sendable {
    case text(String)
    /// A secret, read for each attempt.
    case secret(CredentialSource)
  }

  /// The NAME of `[backend.NAME]`.
  public var name: String
  /// The URL of the request; it may have a query. Path and query are templates.
  public var url: String
  /// The URL that is requested to find out if a backend in trouble works again, or nil for none.
  public var health: String?
  /// The method of the request.
  public var method = Method.post
  /// The form of the request's body.
  public var format = Format.json
  /// The user-defined JSON object. Empty for the contract's object.
  public var fields = FieldValue<String>.object([:])
  /// The names of parts of file names that fields and URL name: of `match` of spools whose links go here.
  public var captures: Set<String> = []
  /// The source of the bearer token, or nil for none.
  public var token: CredentialSource?
  /// The headers sent with every request, by name as written.
  public var headers: [String: HeaderValue] = [:]
  /// The source of the secret for Standard Webhooks signatures, or nil for none.
  public var signingSecret: CredentialSource?
  /// The effect of a 409 without Retry-After.
  public var conflict = Conflict.ask
  /// The conditions for a success beside a 2xx.
  public var success = Success()
  /// The longest time that one request may take in all.
  public var timeout = Duration.seconds(30)
  /// The longest time that connecting may take, TLS included; see ``StorageSettings/connectTimeout``.
  public var connectTimeout = Duration.seconds(10)
  /// The file of a private CA (PEM), or nil for the system's.
  public var caFile: String?
  /// The certificate for the backend, or nil for none.
  public var clientCertificate: ClientCertificate?
  /// The limit of requests a second, or nil for none.
  public var rate: Double?
  /// The rules for retrying failures: its own `retry`, over `[retry]`.
  public var retry = RetryPolicy()

  /// The defaults.
  public init(name: String, url: String) {
    self.name = name
    self.url = url
  }

  private var templates: [String] { fields.texts + [url] }

  /// True if a field or the URL has the SHA-256 of the whole file.
  var wantsDigest: Bool { templates.contains { $0.contains("{sha256}") } }

  init?(_ section: inout Section, name: String, retry shared: RetryPolicy) {
    let url = section.requiredText("url", example: "\"https://api.example.com/documents\"")
      .flatMap { section.registrationURL("url", $0) }
    self.init(name: name, url: url ?? "")
    health = section.text("health", example: "\"https://api.example.com/health\"")
      .flatMap { section.backendURL("health", $0) }
    method = section.choice("method", default: method)
    format = section.choice("format", default: format)
    fields = section.fields("fields")
    if format == .form, !fields.fitsForm {
      section.problem("fields", "has a table or a list in it, for which a form has no place", "write format = \"json\"")
    }
    captures = section.captures(in: templates)
    token = section.credential("token", file: "backend-token", oauth: true)
    headers = section.headers("headers")
    signingSecret = section.credential("signing_secret", file: "signing-secret")
    conflict = section.choice("conflict", default: conflict)
    success = section.success("success")
    timeout = section.duration("timeout", default: timeout, in: "1ms"..."1d")
    caFile = section.certificates("ca_file")
    clientCertificate = section.clientCertificate()
    rate = section.rate("rate")
    retry = section.retry("retry", over: shared)
    section.finish()
    if url == nil { return nil }
  }
}

extension Section {
  mutating func success(_ key: String) -> BackendSettings.Success {
    var success = BackendSettings.Success()
    guard var inner = section(key, example: "\(key) = { status = [200, 201], json = \"ok\" }") else { return success }
    success.statuses = inner.statuses("status")
    if let node = inner.node("json") { success.members = inner.members("json", node, in: nil) }
    success.text = inner.optionalText("text", example: "\"OK\"")
    inner.finish()
    if success.text != nil, !success.members.isEmpty {
      problem(key, "has both json and text, and no answer is both", "leave one of them out")
    }
    return success
  }

  private mutating func statuses(_ key: String) -> Set<Int>? {
    let example = "[200, 201]"
    guard let found = elements(key, atMost: 100, ("an integer", "integers"), example: example, \.integer) else {
      return nil
    }
    guard !found.isEmpty else {
      return refuse(
        key, "is empty, so no answer would be a success", "write it like \(key) = \(example), or leave it out")
    }
    for (status, line) in found where !(200..<300).contains(status) {
      return refuse(key, "\(status) is not a success", "a status may be 200 to 299", line: line)
    }
    return Set(found.map(\.value))
  }

  /// Returns the members that a table has, or the one that a text names. A path to one has names with dots between them.
  private func members(_ key: String, _ node: Node, in path: String?) -> [BackendSettings.Member] {
    if let table = node.table, !table.isEmpty {
      return table.sorted { $0.key < $1.key }.flatMap { name, inner in
        members(key, inner, in: (path.map { $0 + "." } ?? "") + name)
      }
    }
    let value = path == nil ? .constant("true") : node.leaf ?? (node.array?.isEmpty == true ? .array([]) : nil)
    guard let path = path ?? node.text, let value else {
      wrongType(
        key, node, "a path or a table of strings, numbers, true, false and []",
        example: "\(key) = \"ok\" or \(key) = { status = \"ok\", errors = [] }")
      return []
    }
    return names(key, path).map { [BackendSettings.Member($0, value)] } ?? []
  }

  private func names(_ key: String, _ text: String) -> [String]? {
    let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !names.contains(""), names.count <= 16, text.utf8.count <= 256 else {
      return refuse(
        key, "\(quoted(text)) is not a path to a member",
        "write it like \"ok\" or \"result.accepted\": up to 16 names with a dot between them, 256 bytes in all")
    }
    return names
  }
}
