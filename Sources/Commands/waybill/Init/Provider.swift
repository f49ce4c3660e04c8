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

  /// A service whose address has the region of the bucket in it.
  private static func regional(
    _ name: String, _ pattern: String, example: String, word: String = "REGION", _ settings: [StorageSetting] = []
  ) -> Provider {
    Provider(
      name: name, endpoint: .pattern(pattern, word: word), region: .inEndpoint(example: example), settings: settings)
  }

  /// A server of the operator's, or a service that gives each customer an address.
  private static func own(
    _ name: String, region: Region = .any(usual: "us-east-1"), _ settings: [StorageSetting] = []
  ) -> Provider {
    Provider(name: name, endpoint: .own, region: region, settings: settings)
  }

  /// The services, in the order of the page.
  static let all = [
    regional("AWS S3", "https://s3.REGION.amazonaws.com", example: "eu-central-1"),
    Provider(
      name: "Cloudflare R2", endpoint: .pattern("https://ACCOUNT.r2.cloudflarestorage.com", word: "ACCOUNT"),
      region: .fixed("auto")),
    regional("Backblaze B2", "https://s3.REGION.backblazeb2.com", example: "eu-central-003"),
    Provider(
      name: "Google Cloud Storage (HMAC keys)", endpoint: .fixed("https://storage.googleapis.com"),
      region: .fixed("auto")),
    own("MinIO"),
    own("Garage", region: .any(usual: "garage")),
    own("SeaweedFS"),
    regional("Wasabi", "https://s3.REGION.wasabisys.com", example: "eu-central-1"),
    regional("Scaleway", "https://s3.REGION.scw.cloud", example: "fr-par"),
    regional("Hetzner", "https://LOCATION.your-objectstorage.com", example: "fsn1", word: "LOCATION"),
    regional("OVHcloud", "https://s3.REGION.io.cloud.ovh.net", example: "gra"),
    regional("DigitalOcean Spaces", "https://REGION.digitaloceanspaces.com", example: "fra1"),
    own("IDrive e2"),
    Provider(
      name: "Storj", endpoint: .fixed("https://gateway.storjshare.io"), region: .any(usual: "us-east-1"),
      settings: [StorageSetting(key: "part_size", value: "\"64MiB\"")]),
    regional(
      "Alibaba Cloud OSS", "https://s3.oss-REGION.aliyuncs.com", example: "eu-central-1", [.virtualAddressing]),
    regional("Tencent COS", "https://cos.REGION.myqcloud.com", example: "eu-frankfurt", [.virtualAddressing]),
    regional("Huawei OBS", "https://obs.REGION.myhuaweicloud.com", example: "eu-west-101", [.virtualAddressing]),
    regional(
      "IBM Cloud Object Storage", "https://s3.REGION.cloud-object-storage.appdomain.cloud", example: "eu-de"),
    own("Oracle Object Storage", region: .inEndpoint(example: "eu-frankfurt-1")),
    own("Ceph (RADOS gateway)"),
    own("OpenStack Swift (s3api)", [StorageSetting(key: "overwrite", value: "true")]),
    own("moto"),
  ]

  /// A server that is none of these.
  static let other = Provider(name: "another server", endpoint: .own, region: .any(usual: "us-east-1"))

  /// The sandbox on this machine, to try Waybill with.
  static let sandbox = Provider(
    name: "the sandbox", endpoint: .fixed(LocalSandbox.endpoint), region: .fixed("us-east-1"))

  /// Returns the service that a person means: by its name, or by the first word of it.
  static func named(_ text: String) -> Provider? {
    let text = text.lowercased()
    func words(_ provider: Provider) -> [String] {
      provider.name.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
    if text == "other" || text == other.name { return other }
    if text == "s" || text == sandbox.name { return sandbox }
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
