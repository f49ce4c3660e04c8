import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A page whose name is rebound to this machine (DNS rebinding) reads what its browser may reach. It has its own name in `Host`.
@Suite(.slot)
struct HostHeaderTests {
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
