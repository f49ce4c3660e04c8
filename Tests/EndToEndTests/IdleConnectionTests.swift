import ChildProcesses
import Foundation
import Testing

/// Whoever opens connections and says nothing keeps nobody else out.
@Suite(.slot)
struct IdleConnectionTests {
  /// Opens many connections, some with the beginning of a request and some after one, holds them, and asks over one more.
  ///
  /// - Returns: the status of that answer.
  private static func ask(_ place: String, _ path: String, holding count: Int) async throws -> String {
    let script = """
      import socket, sys
      place, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
      def connect():
          if place.startswith("/"):
              peer = socket.socket(socket.AF_UNIX)
              peer.connect(place)
          else:
              host, port = place.rsplit(":", 1)
              peer = socket.create_connection((host, int(port)))
          return peer
      def ask(peer, more):
          request = f"GET {path} HTTP/1.1\\r\\nHost: {'localhost' if place.startswith('/') else place}\\r\\n{more}\\r\\n"
          peer.sendall(request.encode())
          return peer.recv(65536).split(b" ")[1].decode()
      held = []
      for number in range(count):
          peer = connect()
          if number % 3 == 1: peer.sendall(b"GET / HT")
          if number % 3 == 2: ask(peer, "")
          held.append(peer)
      print(*[ask(connect(), "Connection: close\\r\\n") for _ in range(3)])
      """
    return try await Command.require(["python3", "-c", script, place, path, String(count)])
  }

  @Test func theDaemonsDoorsStayOpen() async throws {
    let port = Ports.free()
    try await withRig({ $0.daemonLines = ["metrics = \"127.0.0.1:\(port)\""] }) { rig in
      try await until("the listener") {
        (try? await HTTPAnswer.call("GET", "http://127.0.0.1:\(port)/healthz").status) == 200
      }
      for path in ["/healthz", "/metrics"] {
        #expect(try await Self.ask("127.0.0.1:\(port)", path, holding: 100) == "200 200 200\n", "\(path)")
      }
      #expect(try await Self.ask(rig.daemon.socket, "/v1/status", holding: 300) == "200 200 200\n")
      let web = try await WebPage(rig)
      defer { web.cut() }
      let place = String(web.origin.dropFirst("http://".count))
      #expect(try await Self.ask(place, "/page.css", holding: 300) == "200 200 200\n")
    }
  }

  @Test(.enabled(if: PostgreSQLServer.canRun, "needs PostgreSQL")) func theFleetsPageStaysOpen() async throws {
    try await FleetPageGuardTests.withHost { folder, server in
      for isSocket in [false, true] {
        let page = try await FleetPage(in: folder, database: server.database("anna"), lines: [], socket: isSocket)
        defer { page.cut() }
        let place = isSocket ? page.origin : String(page.origin.dropFirst("http://".count))
        for path in ["/healthz", "/"] {
          #expect(try await Self.ask(place, path, holding: 300) == "200 200 200\n", "\(path)")
        }
      }
    }
  }
}
