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
    var missing: [String] = []
    if endpoint == nil { missing.append("--endpoint") }
    if bucket == nil { missing.append("--bucket") }
    if keys == nil { missing.append("--keys") }
    if backend == nil { missing.append("--backend") }
    return missing
  }
}
