/// A partition of AWS: regions with their own accounts, services and host names (`partitions.json` of AWS's SDKs, as of 2026).
package struct AWSPartition: Hashable, Sendable {
  package let name: String
  package let suffix: String
  /// The region that stands for the partition if none is named.
  package let globalRegion: String
  /// The beginning of its regions' names; empty for the partition of all other regions.
  let regionPrefix: String

  private init(_ name: String, _ suffix: String, _ globalRegion: String, _ prefix: String) {
    self.name = name
    self.suffix = suffix
    self.globalRegion = globalRegion
    regionPrefix = prefix
  }

  private static let standard = AWSPartition("aws", "amazonaws.com", "us-east-1", "")
  package static let all = [
    AWSPartition("aws-cn", "amazonaws.com.cn", "cn-northwest-1", "cn-"),
    AWSPartition("aws-eusc", "amazonaws.eu", "eusc-de-east-1", "eusc-"),
    AWSPartition("aws-us-gov", "amazonaws.com", "us-gov-west-1", "us-gov-"),
    AWSPartition("aws-iso", "c2s.ic.gov", "us-iso-east-1", "us-iso-"),
    AWSPartition("aws-iso-b", "sc2s.sgov.gov", "us-isob-east-1", "us-isob-"),
    AWSPartition("aws-iso-e", "cloud.adc-e.uk", "eu-isoe-west-1", "eu-isoe-"),
    AWSPartition("aws-iso-f", "csp.hci.ic.gov", "us-isof-south-1", "us-isof-"),
    standard,
  ]

  package static func of(region: String) -> AWSPartition {
    all.first { region.hasPrefix($0.regionPrefix) } ?? standard
  }

  /// Returns the partition in an ARN; the standard one if it is not known.
  package static func of(arn: String) -> AWSPartition {
    let parts = arn.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    return all.first { parts.count > 2 && parts[1] == $0.name } ?? standard
  }
}

/// A host of AWS, by the labels of its name.
package struct AWSHost: Hashable, Sendable {
  /// The region of an S3 endpoint ("Amazon Simple Storage Service endpoints and quotas" in the AWS General Reference): regional, FIPS,
  /// dual-stack, accelerated, of a VPC, or of an access point. It is that of the partition if its name has none. Nil for other services.
  package let region: String?

  /// Creates the host of a URL; nil if it is not AWS's.
  package init?(_ url: String) {
    guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
    let host = url[start...].prefix { !":/?#".contains($0) }.lowercased()
    // aws-us-gov has the same suffix as the standard partition, which is the last one and so counts.
    guard let partition = AWSPartition.all.last(where: { host.hasSuffix("." + $0.suffix) }) else { return nil }
    let labels = host.dropLast(partition.suffix.count + 1).split(separator: ".", omittingEmptySubsequences: false)
    guard let place = labels.lastIndex(where: { Self.names.contains($0) }) else {
      region = nil
      return
    }
    var rest = labels[(place + 1)...]
    if rest.first == "dualstack" { rest.removeFirst() }
    if rest.last == "vpce" { rest.removeLast() }
    region = rest.count <= 1 ? rest.first.map(String.init) ?? partition.globalRegion : nil
  }

  /// The labels that name S3, before the label of the region.
  private static let names: Set<Substring> = [
    "s3", "s3-fips", "s3-accelerate", "s3-accesspoint", "s3-accesspoint-fips",
  ]
}
