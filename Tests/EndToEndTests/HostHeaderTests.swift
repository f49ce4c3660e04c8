import ChildProcesses
import Foundation
import Glibc
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
      // An empty one is sent by those who have no name for a socket.
      #expect(
        try await HTTPAnswer.call(
          "GET", "http://localhost/v1/status", options: ["--unix-socket", rig.setup.socket, "-H", "Host;"]
        ).status == 200)
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
      func ask(_ host: String, _ path: String = "/metrics") async throws -> HTTPAnswer {
        try await HTTPAnswer.call("GET", "http://127.0.0.1:\(port)\(path)", options: ["-H", "Host: \(host)"])
      }
      try await until("the listener") { try await ask("localhost", "/healthz").status == 200 }
      for host in ["10.1.2.3:9464", "localhost:\(port)", own, "\(own.uppercased()):9464", "waybill"] {
        for path in ["/metrics", "/healthz", "/readyz"] {
          #expect(try await ask(host, path).status == 200, "\(host) \(path)")
        }
      }
      for host in ["evil.example", "\(own).evil.example"] {
        for path in ["/metrics", "/healthz", "/readyz", "/"] {
          let answer = try await ask(host, path)
          #expect(answer.status == 403 && answer.body.contains("ask by its address"), "\(host) \(path): \(answer)")
        }
      }
      // What a browser's page asks for is not answered, whatever its name is.
      for header in ["Origin: http://127.0.0.1:\(port)", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-origin"] {
        let answer = try await HTTPAnswer.call("GET", "http://127.0.0.1:\(port)/metrics", options: ["-H", header])
        #expect(answer.status == 403, "\(header)")
      }
      // A person who types the address sees it.
      let typed = try await HTTPAnswer.call(
        "GET", "http://127.0.0.1:\(port)/metrics", options: ["-H", "Sec-Fetch-Site: none"])
      #expect(typed.status == 200)
      // HTTP/1.0 has no Host.
      let old = try await HTTPAnswer.call("GET", "http://127.0.0.1:\(port)/healthz", options: ["-0", "-H", "Host:"])
      #expect(old.status == 200)
    }
  }
}
