import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A page whose name is rebound to this machine (DNS rebinding) reads what its browser may reach. It has its own name in `Host`.
@Suite(.slot)
struct HostHeaderTests {
  @Test func socketAnswersLocalHostNamesOnly() async throws {
    try await withRig { rig in
      func ask(_ host: String, _ method: String = "GET", _ path: String = "/v1/status") async throws -> HTTPAnswer {
        try await HTTPAnswer.call(
          method, "http://localhost\(path)", options: ["--unix-socket", rig.setup.socket, "-H", "Host: \(host)"])
      }
      for host in ["localhost", "127.0.0.1:80", "[::1]:1234"] {
        #expect(try await ask(host).status == 200, "\(host)")
      }
      for host in ["evil.example", "192.0.2.1", "waybill"] {
        for (method, path) in [
          ("GET", "/v1/status"), ("GET", "/metrics"), ("GET", "/"), ("GET", "/v1/events"), ("GET", "/nothing"),
          ("POST", "/v1/pause"),
        ] {
          let answer = try await ask(host, method, path)
          #expect(answer.status == 403, "\(host) \(path): \(answer.body.prefix(100))")
          #expect(answer.contentType == "application/problem+json", "\(host) \(path)")
        }
      }
      let words = try await ask("evil.example").json.detail.string ?? ""
      #expect(words.contains("evil.example") && words.contains("localhost"), "\(words)")
      #expect(try await rig.daemon.status().pauses.array.isEmpty)
    }
  }

  @Test func metricsAnswersOwnHosts() async throws {
    let port = Ports.free()
    let own = ProcessInfo.processInfo.hostName
    try await withRig({
      $0.daemonLines = ["metrics = \"127.0.0.1:\(port)\""]
    }) { rig in
      func ask(_ header: String, _ path: String = "/metrics") async throws -> HTTPAnswer {
        try await HTTPAnswer.call("GET", "http://127.0.0.1:\(port)\(path)", options: ["-H", header])
      }
      try await until("the listener") { try await ask("Host: localhost", "/healthz").status == 200 }
      // A person who types the address sees it.
      for header in ["Host: 10.1.2.3:9464", "Host: \(own.uppercased()):9464", "Sec-Fetch-Site: none"] {
        #expect(try await ask(header).status == 200, "\(header)")
      }
      for path in ["/metrics", "/healthz", "/readyz", "/"] {
        let answer = try await ask("Host: \(own).evil.example", path)
        #expect(answer.status == 403 && answer.body.contains("ask by its address"), "\(path): \(answer)")
      }
      // What a browser's page asks for is not answered, whatever its name is.
      for header in ["Origin: http://127.0.0.1:\(port)", "Sec-Fetch-Site: same-origin"] {
        #expect(try await ask(header).status == 403, "\(header)")
      }
    }
  }
}
