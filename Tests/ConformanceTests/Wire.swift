import ChildProcesses
import Foundation

/// The wire between a client and a far side, which a test may spoil (`Tests/Support/wire-proxy.py`).
final class Wire: Sendable {
  /// What happens to requests.
  enum Fault: String {
    /// A bit of the request's body is turned round.
    case flip
    /// The answer is lost after the far side has acted.
    case cut
    /// No answer comes.
    case stall
    /// The request's body takes its time.
    case slow
    /// 503 SlowDown comes, as from a balancer before the far side.
    case busy
  }

  /// The address to speak to: `https` where there is a certificate.
  let url: String
  private let child: ChildProcess

  /// Opens a wire to `HOST:PORT`.
  init(to address: String, certificate: Certificate?) async throws {
    child = try ChildProcess(
      [try await Products.python.value, Products.support("wire-proxy.py"), address]
        + (certificate.map { [$0.chain, $0.key] } ?? []),
      input: .written)
    let line = try await child.prints("\n")
    let port = line.split(separator: "\n").first?.dropFirst("listening on ".count) ?? ""
    url = "\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)"
  }

  deinit { child.cut() }

  /// Spoils the next requests whose first line holds `match`.
  func spoil(_ fault: Fault, _ match: String, count: Int = 1) async throws {
    let before = child.outputText.split(separator: "\n").count
    try child.write("\(fault.rawValue) \(match) \(count)\n")
    try await until("the wire to know") { child.outputText.split(separator: "\n").count > before }
  }
}
