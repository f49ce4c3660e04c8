/// The host of a URL that keys are fetched from, if it is this machine or next to it: the metadata service of an instance, the
/// endpoint of a container. Such a host must not be asked through a proxy, which would ask its own.
package struct NearbyHost {
  package let isLoopback: Bool

  /// Creates the host of a URL; nil if it is somewhere else, or if that is not known.
  package init?(_ url: String) {
    guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
    let authority = url[start...].prefix { !"/?#".contains($0) }.lowercased()
    guard !authority.contains("@") else { return nil }
    let isLoopback: Bool
    let isLinkLocal: Bool
    if authority.hasPrefix("[") {
      let address = authority.dropFirst().prefix { $0 != "]" }
      let groups = address.split(separator: ":").map { Int($0, radix: 16) }
      isLoopback = groups.last == 1 && groups.dropLast().allSatisfy { $0 == 0 }
      // Link-local addresses (RFC 4291, section 2.5.6), and those that AWS reserves for the services of an instance.
      isLinkLocal = groups.first?.map { $0 & 0xFFC0 == 0xFE80 } == true || address.hasPrefix("fd00:ec2:")
    } else {
      let host = authority.prefix { $0 != ":" }
      let octets = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
      let isAddress = octets.count == 4 && !octets.contains(nil)
      isLoopback = host == "localhost" || isAddress && octets[0] == 127
      isLinkLocal = isAddress && octets[0] == 169 && octets[1] == 254
    }
    guard isLoopback || isLinkLocal else { return nil }
    self.isLoopback = isLoopback
  }
}
