/// The proxy of a request, instead of those that the environment names (`https_proxy`, `no_proxy` …).
public enum Proxy: Hashable, Sendable {
  /// No proxy: a direct connection to the server.
  case direct
  /// An HTTP proxy: its URL with a port, and with a user and a password if it requires them.
  case http(String)

  /// The value of `CURLOPT_PROXY`; an empty one means no proxy.
  var option: String {
    switch self {
    case .direct: ""
    case .http(let url): url
    }
  }
}

extension Proxy: Redacted {
  /// The URL as configured, with `[secret]` for user and password.
  public var description: String {
    guard case .http(let url) = self else { return "none" }
    guard let at = url.lastIndex(of: "@") else { return url }
    let scheme = url.firstRange(of: "://").map { url[..<$0.upperBound] } ?? ""
    return "\(scheme)[secret]\(url[at...])"
  }
}

/// A value with a secret in it, which prints its description however it is printed, also by `dump` and failed expectations.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The description.
  public var debugDescription: String { description }
  /// Nothing of the value.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
