public import Jobs

/// `[storage.NAME]` with `from`: a storage without keys here, because a backend grants each upload.
public struct GrantedSettings: Hashable, Sendable {
  /// `checksum`: whether the request for a grant has the SHA-256 of the bytes.
  private enum Checksum: String, Choice {
    case sha256
    case none
  }

  /// The NAME of `[storage.NAME]`.
  public var name: String
  /// The NAME of the `[backend.NAME]` that grants: the request has its token, headers, certificates and timeout.
  public var backend: String
  /// The URL of the request for a grant.
  public var uploadURL: String
  /// The hosts that the URLs of a grant may have, in lower case, or nil for any. One that begins with `*.` is any host below.
  public var uploadHosts: [String]?
  /// True if the request has the SHA-256 of the bytes.
  public var tellsDigest = true
  /// See ``StorageSettings/digest``.
  public var digest = false
  /// See ``StorageSettings/connectTimeout``.
  public var connectTimeout = Duration.seconds(10)
  /// See ``StorageSettings/stallTimeout``.
  public var stallTimeout = Duration.seconds(60)
  /// See ``StorageSettings/completeTimeout``.
  public var completeTimeout = Duration.seconds(600)
  /// The file of a private CA (PEM) of the granted URLs, or nil for the system's.
  public var caFile: String?
  /// See ``StorageSettings/rate``.
  public var rate: Double?
  /// The rules for retrying failures: its own `retry`, over `[retry]`.
  public var retry = RetryPolicy()

  package init(name: String, backend: String, uploadURL: String) {
    (self.name, self.backend, self.uploadURL) = (name, backend, uploadURL)
  }

  /// Returns true if a URL of a grant may have this host, which is in lower case.
  package func allows(_ host: String) -> Bool {
    uploadHosts?.contains { $0 == host || ($0.hasPrefix("*.") && host.hasSuffix($0.dropFirst())) } ?? true
  }

  /// The keys of a storage that do not go with `from`.
  private static let others = [
    "endpoint", "region", "bucket", "addressing", "access_key", "secret_key", "session_token", "part_size", "overwrite",
    "headers", "encryption", "tags", "object_lock", "client_cert", "client_key",
  ]

  init?(_ section: inout Section, name: String, among sections: NamedSections, retry shared: RetryPolicy) {
    let backend = section.grantor(among: sections)
    let url = section.requiredText("upload_url", example: "\"https://api.example.com/uploads\"")
      .flatMap { section.backendURL("upload_url", $0) }
    uploadHosts = section.uploadHosts()
    tellsDigest = section.choice("checksum", default: Checksum.sha256) == .sha256
    caFile = section.certificates("ca_file")
    rate = section.rate("rate")
    retry = section.retry("retry", over: shared)
    for key in Self.others where section.has(key) {
      section.problem(key, "does not go with from: the backend says where each upload goes", "leave one of them out")
    }
    section.finish()
    guard let backend, let url else { return nil }
    (self.name, self.backend, uploadURL) = (name, backend, url)
  }
}

extension Section {
  /// Reports keys that need `from`, in a storage without it.
  mutating func refuseGrants() {
    for key in ["upload_url", "upload_hosts"] where has(key) {
      problem(key, "has no effect", "it needs a line like from = \"backend.main\"")
    }
  }

  fileprivate mutating func grantor(among sections: NamedSections) -> String? {
    guard let text = requiredText("from", example: "\"backend.main\"") else { return nil }
    guard let from = Destination(text), from.kind == .backend, sections["backend"][from.name] != nil else {
      let all = quotedList(sections["backend"].keys.sorted().map { "backend.\($0)" })
      return refuse("from", "\(quoted(text)) is no section of a backend", all.isEmpty ? nil : "there is \(all)")
    }
    return from.name
  }

  fileprivate mutating func uploadHosts() -> [String]? {
    let example = "[\"*.blob.core.windows.net\"]"
    guard let texts = texts("upload_hosts", atMost: 100, example: example) else { return nil }
    guard !texts.isEmpty else {
      return refuse("upload_hosts", "is empty, so no upload could be granted", "leave it out")
    }
    for (text, line) in texts {
      let host = text.hasPrefix("*.") ? text.dropFirst(2) : text[...]
      // Ignored: what is wrong with it is said here.
      guard let address = try? WebAddress("https://\(host)"), address.host == host.lowercased() else {
        return refuse(
          "upload_hosts", "\(quoted(text)) is no host", "write it like \(example), without scheme, port and path",
          line: line)
      }
    }
    return texts.map { $0.value.lowercased() }
  }
}
