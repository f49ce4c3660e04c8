/// The wire between a client and a server, which a test may spoil (`Tests/Support/wire-proxy.py`).
public final class Wire: Sendable {
  /// What happens to requests.
  public enum Fault: String, Sendable {
    /// A bit of the request's body is turned round.
    case flip
    /// The answer is lost after the server has acted.
    case cut
    /// 503 SlowDown comes, as from a balancer before the server.
    case busy
    /// The second half of the request's body waits until it is let go (``Wire/release(_:)``).
    case hold
  }

  /// The address to speak to: `https` where there is a certificate.
  public let url: String
  private let child: ChildProcess

  /// Opens a wire to `HOST:PORT`.
  public init(to address: String, certificate: Certificate?) async throws {
    child = try ChildProcess(
      [try await Products.python.value, Products.support("wire-proxy.py"), address]
        + (certificate.map { [$0.chain, $0.key] } ?? []),
      input: .written)
    let line = try await child.prints("\n")
    let port = line.split(separator: "\n").first?.dropFirst("listening on ".count) ?? ""
    url = "\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)"
  }

  /// Spoils the next requests whose first line holds `match`.
  public func spoil(_ fault: Fault, _ match: String, count: Int = 1) async throws {
    try await tell("\(fault.rawValue) \(match) \(count)")
  }

  /// Waits until a request is held that was to be held by this.
  public func holds(_ match: String, line: Int = #line) async throws {
    try await until("a request to be held by \(match)", line: line) { count("holding \(match)") > 0 }
  }

  /// Lets go of what is held by this.
  public func release(_ match: String) async throws { try await tell("release \(match)") }

  private func tell(_ words: String) async throws {
    let before = count("ok")
    try child.write(words + "\n")
    try await until("the wire to know") { count("ok") > before }
  }

  private func count(_ line: String) -> Int { child.outputText.split(separator: "\n").count { $0 == line } }
}
