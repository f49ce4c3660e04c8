import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Servers that speak TLS as no honest one does: nothing is sent to one that has not shown who it is.
@Suite(.slot, .bounded)
struct HostileTLSTests {
  /// How a server behaves, and what a job comes to.
  private struct Case: Sendable {
    var name: String
    /// The certificate's name and days, nil for a server that speaks no TLS.
    var certificate: (name: String, days: Int)?
    var isTrusted = true
    var arguments: [String] = []
    /// What the server does with a request, if one comes to it.
    var path = "/status/200"
    var state: String
    var kind: String
    var words: String
  }

  private static let cases = [
    Case(
      name: "expired", certificate: ("IP:127.0.0.1", -1), state: "awaiting-confirmation", kind: "destination",
      words: "expired"),
    Case(
      name: "other-name", certificate: ("DNS:elsewhere.test", 2), state: "awaiting-confirmation", kind: "destination",
      words: "is not accepted"),
    Case(
      name: "unknown-authority", certificate: ("IP:127.0.0.1", 2), isTrusted: false, state: "awaiting-confirmation",
      kind: "destination", words: "is not accepted"),
    Case(name: "cut", arguments: ["--cut"], state: "awaiting-network", kind: "network", words: "TLS handshake"),
    Case(
      name: "silent", arguments: ["--silent"], state: "awaiting-network", kind: "network", words: "within 1.0 seconds"),
    Case(name: "without", state: "awaiting-confirmation", kind: "destination", words: "speaks plain HTTP"),
    Case(
      name: "cut-in-body", certificate: ("IP:127.0.0.1", 2), path: "/cut/200", state: "awaiting-confirmation",
      kind: "transient", words: "was lost"),
    Case(
      name: "redirect", certificate: ("IP:127.0.0.1", 2), path: "/status/307", state: "awaiting-confirmation",
      kind: "destination", words: "Location http://127.0.0.1:1/elsewhere"),
  ]

  @Test(arguments: HostileAnswer.Side.allCases)
  func sendsNothingToUntrustedServer(_ side: HostileAnswer.Side) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var servers: [(case: Case, child: ChildProcess, url: String, authority: String?)] = []
    var certificates: [Certificate] = []  // whose files go with them
    for tls in Self.cases {
      var words = [try await Products.python.value, "-I", Products.support("scripted_server.py")] + tls.arguments
      var authority: String?
      if let (name, days) = tls.certificate {
        let certificate = try await Certificate(for: name, days: days)
        certificates.append(certificate)
        words += ["--tls", certificate.chain, certificate.key]
        if tls.isTrusted { authority = certificate.authority }
      }
      let child = try ChildProcess(words, input: .written, folder: folder.url, log: tls.name)
      let port = try await child.prints("\n").dropLast()
      servers.append((tls, child, "https://127.0.0.1:\(port)\(tls.path)", authority))
    }
    defer { for server in servers { server.child.cut() } }
    try await withRig({ setup in
      setup.furtherSpools = try servers.map { server in
        let own = server.authority.map { "ca_file = \"\($0)\"" } ?? ""
        let limit = server.case.arguments == ["--silent"] ? "1s" : "50s"
        let section = "\(side == .backend ? "backend" : "storage").\(server.case.name)"
        setup.constants["\(section).connect_timeout"] = "\"\(limit)\""
        return try setup.hostile(server.case.name, side, url: server.url, lines: [own])
      }.joined()
    }) { rig in
      for tls in Self.cases { try rig.drop(tls.name + ".pdf", in: tls.name) }
      for tls in Self.cases {
        do {
          let job = try await rig.daemon.job(named: tls.name + ".pdf", in: tls.state)
          let words = job.error.message.string ?? ""
          #expect(job.error.kind.string == tls.kind && words.contains(tls.words), "\(tls.name): \(job.error)")
          #expect(job.existingPath != nil, "\(tls.name)")
        } catch {
          Issue.record("\(tls.name): \(error)")
        }
      }
      try await rig.drop("good.pdf", until: "registered")
      #expect(try await rig.daemon.stop() == .exit(0))
    }
    _ = certificates
  }
}
