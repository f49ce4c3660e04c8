import Credentials

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
  /// A setting that the storage's service needs, as TOML writes it.
  var setting: String?
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

  /// Takes the sandbox as the storage.
  mutating func useSandbox() {
    (endpoint, region, setting) = (LocalSandbox.endpoint, Self.usualRegion, nil)
    bucket = bucket ?? LocalSandbox.bucket
    keys = keys ?? LocalSandbox.keys
  }

  /// The options that are missing, one for each fact without a default.
  var missing: [String] {
    var missing: [String] = []
    if endpoint == nil { missing.append("--endpoint") }
    if bucket == nil { missing.append("--bucket") }
    if keys == nil { missing.append("--keys") }
    if backend == nil { missing.append("--backend (or --sandbox)") }
    return missing
  }

  /// True if the storage or the backend is the sandbox on this machine.
  var usesSandbox: Bool { endpoint == LocalSandbox.endpoint || backend == LocalSandbox.backend }
}

/// The sandbox on this machine (waybill-sandbox.service), with the keys that everybody knows.
enum LocalSandbox {
  static let unit = "waybill-sandbox.service"
  static let endpoint = "http://127.0.0.1:9100"
  static let backend = endpoint + "/register"
  static let bucket = "documents"

  static var keys: SetupAnswers.Keys? {
    guard let access = Secret(text: "sandbox"), let secret = Secret(text: "sandbox-secret") else { return nil }
    return .typed(access: access, secret: secret)
  }
}
