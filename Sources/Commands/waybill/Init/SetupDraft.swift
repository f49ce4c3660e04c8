import Credentials
import Jobs

/// The facts of a setup that are known so far: by options, by what was found, and then by answers.
struct SetupDraft {
  /// True if the sandbox is the storage; then nothing else about it matters.
  var storageIsSandbox = false
  var backendIsSandbox = false
  var keys: SetupAnswers.Keys?
  var provider: Provider?
  var endpoint: String?
  var region: String?
  var bucket: String?
  var backend: String?
  var token: Secret?
  var tokenFile: String?
  var spools: [SetupAnswers.Spool] = []
  var people: [String]?
  var starts = true

  static let usualSpool = "/var/spool/waybill/documents"

  /// Takes keys over, and the address beside them unless another one is known.
  mutating func use(_ found: FoundKeys) {
    keys = .written(access: found.access, secret: found.secret, token: found.token)
    if endpoint == nil, provider == nil { endpoint = found.endpoint }
    if region == nil { region = found.region }
    conclude()
  }

  /// Concludes what follows from what is known.
  mutating func conclude() {
    if storageIsSandbox { return }
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
  }

  /// The options that are missing, one for each thing that is not known.
  var missing: [String] {
    var missing: [String] = []
    if !storageIsSandbox {
      if keys == nil { missing.append("--keys") }
      if endpoint == nil {
        let isRegion = if case .inEndpoint? = provider?.region { true } else { false }
        missing.append(provider == nil ? "--provider or --endpoint" : isRegion ? "--region" : "--endpoint")
      } else if region == nil {
        missing.append("--region")
      }
      if bucket == nil { missing.append("--bucket") }
    }
    if backend == nil, !backendIsSandbox { missing.append("--backend (or --sandbox)") }
    return missing
  }

  /// The answers; nil if something is missing.
  var answers: SetupAnswers? {
    var storage: SetupAnswers.Storage?
    if storageIsSandbox {
      storage = LocalSandbox.storage
    } else if let endpoint, let region, let bucket, let keys {
      storage = SetupAnswers.Storage(
        endpoint: endpoint, region: region, bucket: bucket, keys: keys, settings: provider?.settings ?? [])
    }
    guard let storage, let url = backendIsSandbox ? LocalSandbox.backend : backend else { return nil }
    return SetupAnswers(
      storage: storage, backend: SetupAnswers.Backend(url: url, token: token, tokenFile: tokenFile),
      spools: spools.isEmpty ? [SetupAnswers.Spool(path: Self.usualSpool)] : spools, people: people ?? [],
      usesSandbox: storageIsSandbox || backendIsSandbox, starts: starts)
  }
}
