/// `[web]` of fleet.toml: the fleet's page.
public struct FleetWebSettings: Hashable, Sendable {
  /// An address to listen at.
  public enum Endpoint: Hashable, Sendable, CustomStringConvertible {
    case address(ListenAddress)
    case socket(String)

    /// Reads an address, or an absolute path; nil for anything else.
    public init?(_ text: String) {
      if text.hasPrefix("/") {
        // sockaddr_un has room for 108 bytes, the last of which is NUL (unix(7)).
        guard text.utf8.count <= 107, !text.utf8.contains(0) else { return nil }
        self = .socket(text)
      } else if let address = ListenAddress(text) {
        self = .address(address)
      } else {
        return nil
      }
    }

    /// True if it can be reached only from this machine.
    public var isLocal: Bool {
      switch self {
      case .socket: true
      case .address(let address):
        address.host == "localhost" || address.host == "::1" || address.host.hasPrefix("127.")
      }
    }

    /// The written form.
    public var description: String {
      switch self {
      case .address(let address): address.description
      case .socket(let path): path
      }
    }
  }

  /// The address at which the page is served.
  public var listen: Endpoint
  /// The person in whose name everybody acts who reaches the page; nil for nobody.
  public var user: String?
  /// The header in which a reverse proxy names the person; nil if no header is trusted.
  public var userHeader: String?
  /// True if the user at the other end of the Unix socket, as the kernel names it, is the person: behind a reverse proxy, the proxy's user.
  public var peer = false
  /// The names of the page in browsers, besides `localhost` and addresses.
  public var serverNames: [String] = []

  init() { listen = Endpoint("127.0.0.1:8710") ?? .socket("/run/waybill-fleet-web/web.sock") }

  private static let forms = "write it like \"127.0.0.1:8710\" or \"/run/waybill-fleet-web/web.sock\""

  init(_ section: inout Section) {
    self.init()
    if let text = section.text("listen", example: "\"127.0.0.1:8710\"") {
      if let place = Endpoint(text) {
        listen = place
      } else {
        section.problem("listen", "\(quoted(text)) is not a place to listen at", Self.forms)
      }
    }
    user = section.text("user", example: "\"operators\"").flatMap { $0.isEmpty ? nil : $0 }
    if let user,
      user.utf8.count > 128
        || user.unicodeScalars.contains(where: { $0.value < 32 || ",()".unicodeScalars.contains($0) })
    {
      section.problem("user", "is not the name of a person", "write at most 128 bytes without commas and parentheses")
    }
    userHeader = section.text("user_header", example: "\"X-Remote-User\"").flatMap { $0.isEmpty ? nil : $0 }
    let isToken = { (name: String) in
      name.utf8.allSatisfy { NameText.isLetterOrDigit($0) || "-_".utf8.contains($0) } && name.utf8.count <= 64
    }
    if let userHeader, !isToken(userHeader) {
      section.problem(
        "user_header", "\(quoted(userHeader)) is not the name of a header", "write it like \"X-Remote-User\"")
    }
    peer = section.flag("peer", default: false)
    let set = [("user", user != nil), ("user_header", userHeader != nil), ("peer", peer)].filter(\.1).map(\.0)
    if set.count > 1 {
      section.problem(
        set[1], "cannot be set beside \(set[0]): each says in whose name answers are given",
        "leave all but one of them out")
    }
    if peer, case .address = listen {
      section.problem(
        "peer", "needs a Unix socket: over TCP the kernel names nobody",
        "set listen to the path of a Unix socket, or remove peer")
    }
    if !listen.isLocal, user != nil || userHeader != nil {
      section.problem(
        "listen",
        "is reached from other machines, and \(user == nil ? "user_header" : "user") would let everybody answer",
        "listen on 127.0.0.1 or a Unix socket, and put a reverse proxy before it that asks who comes")
    }
    for name in section.texts("server_names", atMost: 16, example: "[\"fleet.example.com\"]") ?? [] {
      // Ignored: the problem names the form.
      guard let address = try? WebAddress("https://" + name.value), address.path.isEmpty, address.query == nil,
        address.fragment == nil
      else {
        section.problem(
          "server_names", "\(quoted(name.value)) is not a name of a server", "write it like \"fleet.example.com\"",
          line: name.line)
        continue
      }
      serverNames.append(name.value.lowercased())
    }
    section.finish()
  }
}
