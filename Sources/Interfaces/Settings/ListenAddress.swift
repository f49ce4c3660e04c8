/// The address of a listener: an address or a name of this machine, and a port.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address or name, without the brackets that IPv6 has in text.
  public let host: String
  /// The port, 1 to 65535.
  public let port: Int

  /// Reads `127.0.0.1:9464`, `[::1]:9464` or `localhost:9464`; nil for anything else.
  init?(_ text: String) {
    // Ignored: the caller names the form.
    guard let address = try? WebAddress("http://" + text), address.path.isEmpty, address.query == nil,
      address.fragment == nil, let port = address.port.flatMap({ Int($0) })
    else { return nil }
    let isBracketed = address.host.hasPrefix("[")
    host = isBracketed ? String(address.host.dropFirst().dropLast()) : address.host
    self.port = port
  }

  /// The address in its written form.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
