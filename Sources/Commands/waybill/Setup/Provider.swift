/// A storage service with a known address: a row of docs/storages.md. A server of one's own is named by its address.
struct Provider {
  let name: String
  /// The address. What each customer replaces is a word in capitals, e.g. `REGION`.
  let endpoint: String
  /// An example for that word; nil if the address has none.
  let example: String?
  /// The region that signatures name; nil if it is the word in the address.
  let region: String?
  /// A setting of the storage that is not the default, as TOML writes it.
  let setting: String?

  private init(
    _ name: String, _ endpoint: String, _ example: String? = nil, region: String? = nil, setting: String? = nil
  ) {
    (self.name, self.endpoint, self.example, self.region, self.setting) = (name, endpoint, example, region, setting)
  }

  private static let virtual = #"addressing = "virtual""#

  /// The services, in the order of the page.
  static let all: [Provider] = [
    Provider("aws", "https://s3.REGION.amazonaws.com", "eu-central-1"),
    Provider("r2", "https://ACCOUNT.r2.cloudflarestorage.com", "0123456789abcdef", region: "auto"),
    Provider("b2", "https://s3.REGION.backblazeb2.com", "eu-central-003"),
    Provider("google", "https://storage.googleapis.com", region: "auto"),
    Provider("wasabi", "https://s3.REGION.wasabisys.com", "eu-central-1"),
    Provider("scaleway", "https://s3.REGION.scw.cloud", "fr-par"),
    Provider("hetzner", "https://LOCATION.your-objectstorage.com", "fsn1"),
    Provider("ovh", "https://s3.REGION.io.cloud.ovh.net", "gra"),
    Provider("digitalocean", "https://REGION.digitaloceanspaces.com", "fra1"),
    Provider("storj", "https://gateway.storjshare.io", region: "us-east-1", setting: #"part_size = "64MiB""#),
    Provider("alibaba", "https://s3.oss-REGION.aliyuncs.com", "eu-central-1", setting: virtual),
    Provider("tencent", "https://cos.REGION.myqcloud.com", "eu-frankfurt", setting: virtual),
    Provider("huawei", "https://obs.REGION.myhuaweicloud.com", "eu-west-101", setting: virtual),
    Provider("ibm", "https://s3.REGION.cloud-object-storage.appdomain.cloud", "eu-de"),
  ]

  /// Returns the service of a name.
  static func named(_ name: String) -> Provider? { all.first { $0.name == name.lowercased() } }

  /// The word in capitals in the address.
  var word: String? { endpoint.split { !$0.isUppercase }.first.map(String.init) }

  /// Returns the region that an address of this service names; nil if the address is none of it, or the region is not certain.
  func regionNamed(in address: String) -> String? {
    guard let place = word.flatMap({ endpoint.firstRange(of: $0) }) else { return address == endpoint ? region : nil }
    let (start, end) = (endpoint[..<place.lowerBound], endpoint[place.upperBound...])
    guard address.hasPrefix(start), address.hasSuffix(end), address.count > start.count + end.count else { return nil }
    let value = String(address.dropFirst(start.count).dropLast(end.count))
    return region ?? (value.contains(".") ? nil : value)
  }

  /// Returns the address with a customer's value in the place of the word in capitals.
  func address(_ value: String) -> String { word.map { endpoint.replacing($0, with: value) } ?? endpoint }
}
