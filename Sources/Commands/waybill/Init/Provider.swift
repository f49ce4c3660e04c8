/// A storage service that is known by name: a row of docs/storages.md, with what has to be asked.
struct Provider: Hashable {
  /// The address of the service.
  enum Endpoint: Hashable {
    /// An address with one word to replace: `REGION`, `ACCOUNT` or `LOCATION`.
    case pattern(String, word: String)
    case fixed(String)
    /// The operator has a server.
    case own
  }

  /// The region that signatures name.
  enum Region: Hashable {
    /// The word in the endpoint.
    case inEndpoint(example: String)
    case fixed(String)
    /// Any will do, unless the server has one set.
    case any(usual: String)
  }

  let name: String
  let endpoint: Endpoint
  let region: Region
  /// Settings of the storage that are not the default, as TOML writes them.
  var settings: [StorageSetting] = []

  /// The services, in the order of the page.
  static let all = [
    Provider(
      name: "AWS S3", endpoint: .pattern("https://s3.REGION.amazonaws.com", word: "REGION"),
      region: .inEndpoint(example: "eu-central-1")),
    Provider(
      name: "Cloudflare R2", endpoint: .pattern("https://ACCOUNT.r2.cloudflarestorage.com", word: "ACCOUNT"),
      region: .fixed("auto")),
    Provider(
      name: "Backblaze B2", endpoint: .pattern("https://s3.REGION.backblazeb2.com", word: "REGION"),
      region: .inEndpoint(example: "eu-central-003")),
    Provider(
      name: "Google Cloud Storage (HMAC keys)", endpoint: .fixed("https://storage.googleapis.com"),
      region: .fixed("auto")),
    Provider(name: "MinIO", endpoint: .own, region: .any(usual: "us-east-1")),
    Provider(name: "Garage", endpoint: .own, region: .any(usual: "garage")),
    Provider(name: "SeaweedFS", endpoint: .own, region: .any(usual: "us-east-1")),
    Provider(
      name: "Wasabi", endpoint: .pattern("https://s3.REGION.wasabisys.com", word: "REGION"),
      region: .inEndpoint(example: "eu-central-1")),
    Provider(
      name: "Scaleway", endpoint: .pattern("https://s3.REGION.scw.cloud", word: "REGION"),
      region: .inEndpoint(example: "fr-par")),
    Provider(
      name: "Hetzner", endpoint: .pattern("https://LOCATION.your-objectstorage.com", word: "LOCATION"),
      region: .inEndpoint(example: "fsn1")),
    Provider(
      name: "OVHcloud", endpoint: .pattern("https://s3.REGION.io.cloud.ovh.net", word: "REGION"),
      region: .inEndpoint(example: "gra")),
    Provider(
      name: "DigitalOcean Spaces", endpoint: .pattern("https://REGION.digitaloceanspaces.com", word: "REGION"),
      region: .inEndpoint(example: "fra1")),
    Provider(name: "IDrive e2", endpoint: .own, region: .any(usual: "us-east-1")),
    Provider(
      name: "Storj", endpoint: .fixed("https://gateway.storjshare.io"), region: .any(usual: "us-east-1"),
      settings: [StorageSetting(key: "part_size", value: "\"64MiB\"")]),
    Provider(
      name: "Alibaba Cloud OSS", endpoint: .pattern("https://s3.oss-REGION.aliyuncs.com", word: "REGION"),
      region: .inEndpoint(example: "eu-central-1"), settings: [.virtualAddressing]),
    Provider(
      name: "Tencent COS", endpoint: .pattern("https://cos.REGION.myqcloud.com", word: "REGION"),
      region: .inEndpoint(example: "eu-frankfurt"), settings: [.virtualAddressing]),
    Provider(
      name: "Huawei OBS", endpoint: .pattern("https://obs.REGION.myhuaweicloud.com", word: "REGION"),
      region: .inEndpoint(example: "eu-west-101"), settings: [.virtualAddressing]),
    Provider(
      name: "IBM Cloud Object Storage",
      endpoint: .pattern("https://s3.REGION.cloud-object-storage.appdomain.cloud", word: "REGION"),
      region: .inEndpoint(example: "eu-de")),
    Provider(name: "Oracle Object Storage", endpoint: .own, region: .inEndpoint(example: "eu-frankfurt-1")),
    Provider(name: "Ceph (RADOS gateway)", endpoint: .own, region: .any(usual: "us-east-1")),
    Provider(
      name: "OpenStack Swift (s3api)", endpoint: .own, region: .any(usual: "us-east-1"),
      settings: [StorageSetting(key: "overwrite", value: "true")]),
    Provider(name: "moto", endpoint: .own, region: .any(usual: "us-east-1")),
  ]

  /// A server that is none of these.
  static let other = Provider(name: "another server", endpoint: .own, region: .any(usual: "us-east-1"))

  /// Returns the service that a person means: by its name, or by the first word of it.
  static func named(_ text: String) -> Provider? {
    let text = text.lowercased()
    func words(_ provider: Provider) -> [String] {
      provider.name.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
    if text == "other" { return other }
    return all.first { $0.name.lowercased() == text } ?? all.first { words($0).contains(text) }
  }

  /// Returns the service at an address, with its region if the address has one; nil for an own server.
  static func at(_ endpoint: String) -> (provider: Provider, region: String?)? {
    let endpoint = Self.trimmed(endpoint)
    for provider in all {
      switch provider.endpoint {
      case .fixed(let address): if endpoint == address { return (provider, provider.region.usual) }
      case .pattern(let pattern, let word):
        let parts = pattern.split(separator: word, maxSplits: 1)
        guard parts.count == 2, endpoint.hasPrefix(parts[0]), endpoint.hasSuffix(parts[1]),
          endpoint.utf8.count > parts[0].utf8.count + parts[1].utf8.count
        else { continue }
        let found = endpoint.dropFirst(parts[0].count).dropLast(parts[1].count)
        guard !found.contains("/"), !found.contains(".") else { continue }
        if case .inEndpoint = provider.region { return (provider, String(found)) }
        return (provider, provider.region.usual)
      case .own: continue
      }
    }
    return nil
  }

  /// Returns the address for a word in the place of `REGION`, `ACCOUNT` or `LOCATION`; nil for an own server.
  func address(_ word: String) -> String? {
    switch endpoint {
    case .fixed(let address): address
    case .pattern(let pattern, let place): pattern.replacing(place, with: word)
    case .own: nil
    }
  }

  /// An address without a slash at its end, and with https:// if it names no scheme.
  static func trimmed(_ endpoint: String) -> String {
    var text = endpoint.contains("://") ? endpoint : "https://" + endpoint
    while text.hasSuffix("/") { text.removeLast() }
    return text
  }
}

extension Provider.Region {
  /// The region to use unless another one is named; nil if it has to be known.
  var usual: String? {
    switch self {
    case .inEndpoint: nil
    case .fixed(let region), .any(let region): region
    }
  }
}

/// A line of `[storage.NAME]`.
struct StorageSetting: Hashable {
  let key: String
  /// The value as TOML writes it.
  let value: String

  static let virtualAddressing = StorageSetting(key: "addressing", value: "\"virtual\"")
}
