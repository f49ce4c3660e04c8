import Credentials
import Jobs
import Settings

/// The facts that a setup needs, as far as they are known: by options, by what was found, and by answers.
struct SetupAnswers: Equatable {
  /// The keys of the storage.
  enum Keys: Equatable {
    /// These are written into files.
    case written(access: Secret, secret: Secret, token: Secret?)
    /// They are in files that stay where they are.
    case files(access: String, secret: String)
    /// The machine has a role that gives them (AWS).
    case instance
  }

  var provider: Provider?
  var endpoint: String?
  var region: String?
  var bucket: String?
  var keys: Keys?
  /// True if a person has typed the keys.
  var keysAreTyped = false
  var spool: String?
  var backend: String?
  /// The backend's token, which is written into a file.
  var token: Secret?
  /// The file with the token, which stays where it is.
  var tokenFile: String?

  static let usualSpool = "/var/spool/waybill/documents"

  init() {}

  /// Takes over what a run that did not come to its end was told. Keys that are in no file are not known any more.
  init(unfinished: Configuration) {
    if let storage = unfinished.storages["main"] {
      (endpoint, region, bucket) = (storage.endpoint, storage.region, storage.bucket)
      switch (storage.accessKey, storage.secretKey, storage.sessionToken) {
      case (.file(let access), .file(let secret), nil) where SetupPlace.exists(access) && SetupPlace.exists(secret):
        keys = .files(access: access, secret: secret)
      case (.aws, _, _): keys = .instance
      default: break
      }
    }
    backend = unfinished.backends["main"]?.url
    if case .file(let path)? = unfinished.backends["main"]?.token, SetupPlace.exists(path) { tokenFile = path }
    spool = unfinished.spools.first?.path
    conclude()
  }

  /// Takes keys over, and the address beside them unless another one is known.
  mutating func use(_ found: FoundKeys) {
    (keys, keysAreTyped) = (.written(access: found.access, secret: found.secret, token: found.token), false)
    if endpoint == nil, provider == nil { endpoint = found.endpoint }
    if region == nil { region = found.region }
    conclude()
  }

  /// Concludes what follows from what is known.
  mutating func conclude() {
    if let given = endpoint {
      endpoint = Provider.trimmed(given)
      if let (found, itsRegion) = Provider.at(Provider.trimmed(given)) {
        provider = provider ?? found
        region = itsRegion ?? region
      }
    } else if let provider {
      switch provider.endpoint {
      case .fixed: endpoint = provider.address("")
      case .pattern(_, let word):
        if word != "ACCOUNT", let region { endpoint = provider.address(region) }
      case .own: break
      }
    }
    if region == nil, endpoint != nil { region = (provider ?? .other).region.usual }
    if provider == .sandbox {
      bucket = bucket ?? LocalSandbox.bucket
      keys = keys ?? LocalSandbox.keys
    }
  }

  /// The options that are missing, one for each thing that is not known.
  var missing: [String] {
    var missing: [String] = []
    if endpoint == nil {
      let isRegion = if case .inEndpoint? = provider?.region { true } else { false }
      missing.append(provider == nil ? "--provider or --endpoint" : isRegion ? "--region" : "--endpoint")
    } else if region == nil {
      missing.append("--region")
    }
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
    return .written(access: access, secret: secret, token: nil)
  }
}
