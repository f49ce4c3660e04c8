import ChildProcesses
import Foundation
import HTTPTransfer
import Testing

@Suite(.slot) struct MovedNameTests {
  /// A name in /etc/hosts, which the resolver reads for each question.
  private struct HostName: ~Copyable {
    private static let file = "/etc/hosts"
    let name: String

    init(_ name: String, at address: String) throws {
      self.name = name
      try move(to: address)
    }

    func move(to address: String) throws {
      let others = try String(contentsOfFile: Self.file, encoding: .utf8).split(separator: "\n")
        .filter { !$0.hasSuffix(" " + name) }
      // It is written in place: in the tests' machine it may be a mount.
      let text = (others + ["\(address) \(name)"]).joined(separator: "\n") + "\n"
      try text.write(toFile: Self.file, atomically: false, encoding: .utf8)
    }
  }

  @Test(.needs(.hostNames)) func moveIsFollowedUnderSteadyTraffic() async throws {
    let old = try await Server()
    let new = try await Server(at: ("127.0.0.2", old.port))
    let host = try HostName("waybill-moves-\(old.port).test", at: "127.0.0.1")
    let transport = try Transport(connectionLife: .seconds(2))
    var request = old.request("/echo", method: "PUT", body: .bytes([1, 2, 3]))
    request.url = old.url("/echo", host: host.name)
    for _ in 1...50 { #expect(try await transport.send(request).status == 200) }
    #expect(try await old.stats().connections == 1)
    try host.move(to: "127.0.0.2")
    var sent = 0
    try await until("the new address to be asked", every: .milliseconds(10)) {
      for _ in 1...5 { #expect(try await transport.send(request).status == 200) }
      sent += 5
      return try await new.stats().requests > 0
    }
    let (before, after) = (try await old.stats(), try await new.stats())
    // A connection serves all requests of its life.
    #expect(before.requests + after.requests == 50 + sent)
    #expect(before.connections <= 4 && after.connections == 1, "\(before) \(after)")
  }
}
