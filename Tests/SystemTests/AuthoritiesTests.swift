import ChildProcesses
import Foundation
import Linux
import Testing

@testable import Harness

/// The system's authorities, as a daemon sees them that has a file of its own in their place, and a real nginx for storage and backend.
@Suite(.slot, .needs(.nginx), .needs(.mount))
struct AuthoritiesTests {
  private static let system = "/etc/ssl/certs/ca-certificates.crt"

  /// The connections that nginx has had: whether each resumed a TLS session (`r`).
  private static func connections(_ log: URL) throws -> [String: String] {
    let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map { $0.split(separator: " ") }
    let ofTLS = lines.filter { $0.count == 3 && $0[2].hasPrefix("TLS") }
    return Dictionary(ofTLS.map { (String($0[0]), String($0[1])) }) { first, _ in first }
  }

  /// Each connection would read them again, 20 ms of the one thread that sends.
  @Test func connectionsShareAuthorities() async throws {
    let certificates = try await ClientCertificates()
    let folder = try TemporaryFolder()
    defer {
      certificates.folder.remove()
      folder.remove()
    }
    let file = folder.file("authorities.pem")
    let own = try Data(contentsOf: URL(filePath: certificates.file("ca.pem")))
    try (try Data(contentsOf: URL(filePath: Self.system)) + own).write(to: URL(filePath: file))
    try await withRig(starting: false) { outer in
      let port = Ports.free()
      let log = outer.folder.appending(path: "access")
      let nginx = try await NginxProxy(
        serving: """
          listen 127.0.0.1:\(port) ssl;
          ssl_certificate \(certificates.file("server.pem"));
          ssl_certificate_key \(certificates.file("server.key"));
          access_log \(log.path) sessions;
          location / { proxy_pass http://127.0.0.1:\(outer.sandbox.port); proxy_set_header Host $http_host; }
          """, http: "log_format sessions '$connection $ssl_session_reused $ssl_protocol';", in: outer.folder)
      defer { nginx.cut() }
      var setup = outer.setup
      setup.storage.endpoint = "https://127.0.0.1:\(port)"
      setup.backend = "https://127.0.0.1:\(port)/register"
      setup.concurrency = nil
      try setup.write()
      let daemon = Daemon(
        setup,
        prefix: ["unshare", "--mount", "sh", "-ec", "mount --bind \"$0\" \(Self.system); exec \"$@\"", file])
      defer { daemon.cut() }
      let hints = try Inotify(path: folder.path)
      _ = try hints.watch(try Directory(path: folder.path))
      let rig = Rig(folder: outer.folder, sandbox: outer.sandbox, daemon: daemon, journal: nil)
      for number in 1...100 { try rig.drop("\(number).pdf") }
      try await daemon.start()
      try await until("all to be registered") { try await daemon.count("registered") == 100 }
      let opened = try hints.read().count { $0.happening.contains(.opened) && $0.name == Array("authorities.pem".utf8) }
      let connections = try Self.connections(log)
      #expect(connections.count >= 16, "\(connections)")
      #expect((1...2).contains(opened), "\(opened) times, for \(connections.count) connections")
    }
  }
}
