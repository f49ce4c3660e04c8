import NIOCore

/// The names by which a server may be asked (`Host`).
///
/// A page that a browser has loaded from a name of an attacker's may ask this machine, as soon as that name leads here (DNS rebinding):
/// to the browser it asks its own server. Its requests have its name in `Host`, and an address is no name of an attacker's.
package struct HostNames: Sendable {
  /// The addresses that may be asked for by number.
  package enum Addresses: Sendable {
    /// Those of this machine alone.
    case loopback
    /// All.
    case all
  }

  private let addresses: Addresses
  /// The bytes that the name of a service may have.
  private static let nameBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  package init(_ addresses: Addresses) { self.addresses = addresses }

  /// Returns true for `localhost`, an address that may be asked for, no name at all, and further names; with any port. Where all
  /// addresses may be asked for, so may names without a dot, as those of services in a network of containers: no attacker's page has one.
  ///
  /// - Parameters:
  ///   - authority: the header `Host`, nil if there is none.
  ///   - names: further names, in lower case.
  package func allow(_ authority: String?, names: Set<String> = []) -> Bool {
    guard let authority, !authority.isEmpty else { return true }
    guard let host = Self.host(of: authority) else { return false }
    if host.hasPrefix("[") { return isAllowedV6(String(host.dropFirst().dropLast())) }
    if host == "localhost" || names.contains(host) { return true }
    if addresses == .all, !host.contains("."), host.contains(where: \.isLetter) {
      return host.utf8.allSatisfy { Self.nameBytes.contains($0) }
    }
    // Ignored: a name that is no address is refused.
    guard case .v4? = try? SocketAddress(ipAddress: host, port: 0) else { return false }
    return addresses == .all || host.hasPrefix("127.")
  }

  /// Returns the name in lower case, without the port and a dot at its end; nil if that is none.
  package static func host(of authority: String) -> String? {
    let text = authority.lowercased()
    let name: Substring
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      name = text[...end]
    } else {
      name = text.prefix { $0 != ":" }
    }
    let port = text[name.endIndex...]
    guard port.isEmpty || port.hasPrefix(":") && port.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else {
      return nil
    }
    return String(name.hasSuffix(".") ? name.dropLast() : name)
  }

  private func isAllowedV6(_ text: String) -> Bool {
    // Ignored, as above.
    guard case .v6? = try? SocketAddress(ipAddress: text, port: 0) else { return false }
    if addresses == .all { return true }
    guard !text.hasSuffix(":") else { return false }
    let groups = text.split(separator: ":").map { Int($0, radix: 16) }
    return groups.last == 1 && groups.dropLast().allSatisfy { $0 == 0 }
  }
}
