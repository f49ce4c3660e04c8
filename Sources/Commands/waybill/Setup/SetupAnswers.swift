import Credentials
import Messages

/// The facts that a first setup needs, as far as options and answers have told them.
struct SetupAnswers: Equatable {
  /// The keys of the storage.
  enum Keys: Equatable {
    /// These are written into files.
    case typed(access: Secret, secret: Secret)
    /// They are in files that stay where they are.
    case files(access: String, secret: String)
    /// The machine has a role that gives them (AWS).
    case instance
  }

  var endpoint: String?
  var region: String?
  var bucket: String?
  var keys: Keys?
  var spool: String?
  var backend: String?
  /// The backend's token, which is written into a file.
  var token: Secret?
  /// The file with the token, which stays where it is.
  var tokenFile: String?

  static let usualSpool = "/var/spool/waybill/documents"
  static let usualRegion = "us-east-1"

  /// The region that the storage's address names, or its service has; the usual one if the address tells none.
  var likelyRegion: String { AWSHost(endpoint ?? "")?.region ?? service?.region ?? Self.usualRegion }

  /// A setting that the storage's service needs, as TOML writes it.
  var setting: String? { service?.provider.setting }

  /// The known service at the storage's address, and the region there.
  private var service: (provider: Provider, region: String)? {
    guard let endpoint else { return nil }
    let address = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
    for provider in Provider.all {
      if let region = provider.regionNamed(in: address) { return (provider, region) }
    }
    return nil
  }

  /// The options that are missing, one for each fact without a default.
  var missing: [String] {
    let needed = [
      ("--endpoint", endpoint == nil), ("--bucket", bucket == nil), ("--keys", keys == nil),
      ("--backend", backend == nil),
    ]
    return needed.filter(\.1).map(\.0)
  }

  /// Forgets what was said of the storage, so that it is asked for again.
  mutating func forgetStorage() { (endpoint, region, bucket, keys) = (nil, nil, nil, nil) }

  /// Forgets what was said of the backend.
  mutating func forgetBackend() { (backend, token) = (nil, nil) }
}

/// The files that a first setup writes.
extension SetupAnswers {
  /// Returns the files for the secrets among the answers, and at last the configuration that names them.
  func files(at place: SetupPlace) -> [SetupFile] {
    var secrets: [(name: String, secret: Secret)] = []
    if case .typed(let access, let secret)? = keys {
      secrets = [("s3-access-key", access), ("s3-secret-key", secret)]
    }
    if let token { secrets.append(("backend-token", token)) }
    return secrets.map { name, secret in
      SetupFile(
        path: place.keys + name, bytes: secret.bytes + [0x0A], group: place.group, reader: place.user,
        remedy: "name it (--keys, --backend-token-file), or remove it")
    } + [
      SetupFile(
        path: place.configuration, bytes: Array(configuration(at: place).utf8), group: place.group,
        remedy: "remove it")
    ]
  }

  private func configuration(at place: SetupPlace) -> String {
    var lines = [
      "#:schema file:///usr/share/waybill/schemas/waybill.toml.json",
      "# Made by waybill init. The manual is waybill.toml(5); all settings with",
      "# their defaults: /usr/share/doc/waybill/examples/waybill-all.toml",
      "", "[storage.main]",
      "endpoint   = \(TOMLText.quoted(endpoint ?? ""))",
      "region     = \(TOMLText.quoted(region ?? likelyRegion))",
      "bucket     = \(TOMLText.quoted(bucket ?? ""))",
    ]
    func file(_ key: String, _ path: String) -> String { "\(key) = { file = \(TOMLText.quoted(path)) }" }
    switch keys {
    case .typed?:
      lines += [file("access_key", place.keys + "s3-access-key"), file("secret_key", place.keys + "s3-secret-key")]
    case .files(let access, let secret)?: lines += [file("access_key", access), file("secret_key", secret)]
    case .instance?, nil: lines += ["access_key", "secret_key"].map { "\($0) = { aws = \"default\" }" }
    }
    if let setting { lines.append(setting) }
    lines += ["", "[backend.main]", "url = \(TOMLText.quoted(backend ?? ""))"]
    if let path = token == nil ? tokenFile : place.keys + "backend-token" { lines.append(file("token", path)) }
    return (lines + [""]).joined(separator: "\n") + "\n" + TOMLText.spool(spool ?? Self.usualSpool)
  }
}

/// Parts of a configuration that a setup writes.
enum TOMLText {
  /// Returns a string as TOML writes it, which is as JSON does.
  static func quoted(_ text: String) -> String {
    var json = JSONText()
    json.value(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// Returns the section of a spool.
  ///
  /// - Parameter name: its name; nil for that of its path.
  static func spool(_ path: String, name: String? = nil) -> String {
    let name = name ?? spoolName(of: path)
    let nameLine = path.hasSuffix("/" + name) ? "" : "name = \(quoted(name))\n"
    return "[[spool]]\n\(nameLine)path = \(quoted(path))\n"
  }

  /// Returns the name that a spool gets by its path: the last part, with "-" for what a name cannot have.
  static func spoolName(of path: String) -> String {
    let last = path.split(separator: "/").last ?? ""
    return String(
      last.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" })
  }
}
