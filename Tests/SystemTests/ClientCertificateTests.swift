import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Storage and backend behind a real nginx that wants a client certificate (`ssl_verify_client on`).
@Suite(.slot, .needs(.nginx))
struct ClientCertificateTests {
  private struct Gateway {
    let certificates: ClientCertificates
    let log: URL

    /// The serial numbers that were shown, in the order of requests; empty for none.
    func serials(_ path: String) throws -> [String] {
      let text = try String(contentsOf: log, encoding: .utf8)
      return text.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        // Whoever started nginx asked for / without TLS.
        return words.count == 3 && words[2] != "/" && words[2].hasPrefix(path) ? String(words[0]) : nil
      }
    }
  }

  private static let both = [
    "client_cert = { file = \"LIVE.pem\" }", "client_key = { file = \"LIVE.key\" }",
  ]

  /// Starts nginx between daemon and sandbox. `lines` are those of both destinations, with LIVE for the files that are read
  /// and DIR for their folder.
  private func withGateway(
    _ first: String, _ lines: [String] = both, starting: Bool = true,
    _ body: (Rig, Gateway) async throws -> Void
  ) async throws {
    let certificates = try await ClientCertificates()
    defer { certificates.folder.remove() }
    try certificates.use(first)
    try await withRig(starting: false) { outer in
      let port = Ports.free()
      let log = outer.folder.appending(path: "access")
      let nginx = try await NginxProxy(
        serving: """
          listen 127.0.0.1:\(port) ssl;
          ssl_certificate \(certificates.file("server.pem"));
          ssl_certificate_key \(certificates.file("server.key"));
          ssl_client_certificate \(certificates.file("ca.pem"));
          ssl_verify_client on;
          client_max_body_size 0;
          access_log \(log.path) client;
          location / { proxy_pass http://127.0.0.1:\(outer.sandbox.port); proxy_set_header Host $http_host; }
          """, http: "log_format client '$ssl_client_serial $status $request_uri';", in: outer.folder)
      defer { nginx.cut() }
      var setup = outer.setup
      setup.storage.endpoint = "https://127.0.0.1:\(port)"
      setup.backend = "https://127.0.0.1:\(port)/register"
      let own =
        ["ca_file = \"\(certificates.file("ca.pem"))\""]
        + lines.map {
          $0.replacing("LIVE", with: certificates.file("live")).replacing("DIR", with: certificates.folder.path)
        }
      (setup.storageLines, setup.backendLines) = (own, own)
      try setup.write()
      let daemon = Daemon(setup)
      let rig = Rig(folder: outer.folder, sandbox: outer.sandbox, daemon: daemon, journal: nil)
      if starting { try await daemon.start() }
      try await body(rig, Gateway(certificates: certificates, log: log))
    }
  }

  /// nginx ends the handshake well and answers 400 with a page. That is no fault of the job.
  @Test func refusedCertificateWaitsForValidOne() async throws {
    try await withGateway("stranger") { rig, gateway in
      for number in 1...20 { try rig.drop("\(number).pdf") }
      try await until("the certificate to be refused") { try await rig.daemon.count("awaiting-credentials") > 0 }
      let job = try #require(try await rig.daemon.jobs().first { $0.state == "awaiting-credentials" })
      let words = job.error.message.string ?? ""
      #expect(words.contains("The SSL certificate error") && words.contains("see client_cert"), "\(words)")
      #expect(job.error.kind == "credentials" && job.error.status.int == 400)
      try gateway.certificates.use("one")
      try await until("all to be registered") { try await rig.daemon.count("registered") == 20 }
      #expect(try await rig.daemon.status().gates.array.isEmpty)
    }
  }

  /// The connections that are kept were made with the old one. Between the two files, the old pair goes on.
  @Test func usesRenewedCertificate() async throws {
    try await withGateway("one") { rig, gateway in
      try await rig.drop("a.pdf", until: "registered")
      // 101 in hex.
      for path in ["/register", "/documents"] { #expect(Set(try gateway.serials(path)) == ["65"]) }
      let shown = try await rig.daemon.waybill("status", "--long").output
      #expect(shown.contains("client_cert") && shown.contains(gateway.certificates.file("live.key")), "\(shown)")
      #expect(!shown.contains("BEGIN"))
      try gateway.certificates.put("two.pem", as: "live.pem")
      try await rig.drop("b.pdf", until: "registered")
      #expect(Set(try gateway.serials("/")) == ["65"], "the new certificate has no key yet")
      try await until("it to be told") {
        try rig.daemon.told("does not have the key of the certificate in \(gateway.certificates.file("live.pem"))") > 0
      }
      try gateway.certificates.put("two.key", as: "live.key")
      try await until("the files to count") {
        try await rig.drop("c.pdf", until: "registered")
        return try gateway.serials("/register").last == "66"
      }
      let before = try gateway.serials("/").count
      for number in 1...40 { try rig.drop("\(number).pdf") }
      try await until("all to be registered") { try await rig.daemon.count("registered") >= 43 }
      #expect(Set(try gateway.serials("/").dropFirst(before)) == ["66"])
      #expect(try await rig.daemon.count("awaiting-credentials") == 0)
    }
  }

  @Test func checkReportsCertificateFaults() async throws {
    try await withGateway("one", starting: false) { rig, gateway in
      func check(_ more: String...) async throws -> Command {
        try await Command.run([Products.command, "check", "--config", rig.setup.config.path] + more)
      }
      let well = try await check("--probe")
      #expect(
        well.status == 0 && !well.output.contains("replaced by now") && well.output.contains("that is good until"),
        "\(well)")
      try gateway.certificates.use("two")
      let soon = try await check()
      #expect(soon.status == 0 && soon.output.contains("? backend.main has a client_cert"), "\(soon)")
      #expect(soon.output.contains("it should be replaced by now"), "\(soon)")
      try gateway.certificates.use("expired")
      let late = try await check("--no-spools")
      #expect(late.status == 78 && late.output.contains("! storage.main has a client_cert"), "\(late)")
      #expect(late.output.contains("expired on") && late.output.contains("replace it"), "\(late)")
      #expect(try await check("--no-spools", "--no-keys").status == 0)
      try gateway.certificates.use("stranger")
      let refused = try await check("--probe")
      #expect(refused.status == 78 && refused.output.contains("see client_cert"), "\(refused)")
    }
  }
}
