import NIOCore

/// The names for which a server answers (`Host`).
///
/// A page of an attacker can call this machine from a browser if the attacker's name resolves to this machine's address (DNS
/// rebinding): the browser takes it for the page's own server. Such a request has the attacker's name in `Host`. An address or
/// `localhost` there cannot be an attacker's name.
package struct HostNames: Sendable {
  package enum Addresses: Sendable {
    /// Only those of this machine.
    case loopback
    case all
  }

  private let addresses: Addresses
  /// The bytes that are allowed in the name of a service.
  private static let nameBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  package init(_ addresses: Addresses) { self.addresses = addresses }

  /// Returns true for `localhost`, an allowed address, a missing name, and further names; with any port. If all addresses are
  /// allowed, so are names without a dot, as services in a network of containers have them: no attacker's page has such a name.
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

  /// Returns the name in lower case, without the port and a dot at its end; nil for anything that is no name.
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
    // Ignored: a name that is no address is refused.
    guard case .v6? = try? SocketAddress(ipAddress: text, port: 0) else { return false }
    if addresses == .all { return true }
    guard !text.hasSuffix(":") else { return false }
    let groups = text.split(separator: ":").map { Int($0, radix: 16) }
    return groups.last == 1 && groups.dropLast().allSatisfy { $0 == 0 }
  }
}
