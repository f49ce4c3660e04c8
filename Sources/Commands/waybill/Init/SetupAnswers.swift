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

  /// The options that are missing, one for each fact without a default.
  var missing: [String] {
    var missing: [String] = []
    if endpoint == nil { missing.append("--endpoint") }
    if bucket == nil { missing.append("--bucket") }
    if keys == nil { missing.append("--keys") }
    if backend == nil { missing.append("--backend") }
    return missing
  }
}
