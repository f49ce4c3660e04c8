/// The way that a request takes, in place of the proxies that the environment names (`https_proxy`, `no_proxy` …).
public enum Proxy: Hashable, Sendable {
  /// The server is asked directly.
  case direct
  /// By an HTTP proxy: its URL with a port, and with a user and a password if it wants to know them.
  case http(String)

  /// The value of `CURLOPT_PROXY`: an empty one is none.
  var option: String {
    switch self {
    case .direct: ""
    case .http(let url): url
    }
  }
}

extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// As in the configuration, with `[secret]` for user and password.
  public var description: String {
    guard case .http(let url) = self else { return "none" }
    guard let at = url.lastIndex(of: "@") else { return url }
    let scheme = url.firstRange(of: "://").map { url[..<$0.upperBound] } ?? ""
    return "\(scheme)[secret]\(url[at...])"
  }
  /// The same.
  public var debugDescription: String { description }
  /// Shows `dump` and failed expectations no password either.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
