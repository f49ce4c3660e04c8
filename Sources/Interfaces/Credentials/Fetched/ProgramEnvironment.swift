/// The environment of a program that prints keys (`credential_process`). The service manager's variables are left out (`NOTIFY_SOCKET`,
/// `CREDENTIALS_DIRECTORY` …), with which a program could act for the daemon, or find its keys. So are all settings, keys and tokens that
/// the daemon has in variables, and the linker's (`LD_PRELOAD`).
struct ProgramEnvironment: Sendable {
  /// The variables that it gets if the daemon has them; waybill.toml(5) has the list.
  private static let names: Set<String> = [
    "HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "http_proxy", "https_proxy",
    "all_proxy",
    "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME",
  ]
  private static let beginnings = ["LC_", "AWS_"]
  private static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  let variables: [String: String]

  init(of daemon: [String: String]) {
    let path = daemon["PATH"].flatMap { $0.isEmpty ? nil : $0 }
    variables = daemon.filter { name, _ in
      (Self.names.contains(name) || Self.beginnings.contains { name.hasPrefix($0) }) && !Self.isSecret(name)
    }.merging(["PATH": path ?? Self.path]) { $1 }
  }

  /// Returns true for a key or token itself, also `AWS_ACCESS_KEY_ID`; false for the name of a file that has one.
  private static func isSecret(_ name: String) -> Bool {
    let words = name.uppercased().split(separator: "_")
    guard words.last != "FILE", words.last != "DIR" else { return false }
    return words.contains { ["KEY", "TOKEN", "SECRET", "PASSWORD"].contains($0) }
  }
}
