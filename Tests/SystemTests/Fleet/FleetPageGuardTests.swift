import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Who gets at the fleet by way of its server, and in whose name.
@Suite(.slot, .needs(.postgreSQL))
struct FleetPageGuardTests {
  static func withHost(_ body: (URL, PostgreSQLServer) async throws -> Void) async throws {
    try await FleetSchemaTests.withTables { server in
      let folder = try TemporaryFolder()
      #expect(try await server.sql(Fleet200.host(1)).status == 0)
      #expect(try await server.sql(Fleet200.job(1, 1, name: "a.pdf", reason: "number is taken")).status == 0)
      try await body(folder.url, server)
    }
  }

  private static let ledger = Fleet200.ledger(1)
  private static let cancel = "/v1/jobs/scanner-1:1/cancel"
  private static let body: JSONValue = ["reason": "a b&c"]

  private static func asked(_ server: PostgreSQLServer) async throws -> String {
    try await server.sql(
      "SELECT action, by_user, asked_by, arguments->>'reason' FROM waybill.command ORDER BY asked_at"
    )
    .output
  }

  @Test func refusesForeignOriginsAndServerNames() async throws {
    try await Self.withHost { folder, server in
      let page = try await FleetPage(
        in: folder, database: server.database("anna"),
        lines: ["user = \"operators\"", "server_names = [\"fleet.example.com\"]"])
      let (type, body) = ("Content-Type: application/json", "\(Self.body)")
      for headers in [
        [type, "Origin: https://evil.example"], [type, "Origin: null"], [type, "Origin: http://localhost:1"],
        [type, "Origin: \(page.origin)", "Sec-Fetch-Site: cross-site"],
        [type, "Origin: \(page.origin)", "Sec-Fetch-Site: same-site"],
      ] {
        #expect(try await page.call("POST", Self.cancel, headers: headers, body: body).status == 403, "\(headers)")
      }
      for form in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let answer = try await page.call("POST", Self.cancel, headers: ["Content-Type: \(form)"], body: body)
        #expect(answer.status == 403, "\(form)")
      }
      for host in [
        "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "fleet.example.com.evil.example",
      ] {
        #expect(try await page.call("GET", "/", headers: ["Host: \(host)"]).status == 403, "\(host)")
        let headers = [type, "Host: \(host)", "Origin: http://\(host)"]
        #expect(try await page.call("POST", Self.cancel, headers: headers, body: body).status == 403, "\(host)")
      }
      for host in ["fleet.example.com", "fleet.example.com:8443", "localhost:1", "[::1]:1", "192.0.2.1"] {
        #expect(try await page.call("GET", "/", headers: ["Host: \(host)"]).status == 200, "\(host)")
      }
      #expect(try await page.call("DELETE", "/v1/status").status == 405)
      #expect(try await page.call("GET", "/v1/changes").status == 404)
      let long: JSONValue = ["reason": .string(String(repeating: "a", count: 70_000))]
      #expect(try await page.send(Self.cancel, long).status == 413)
      for (path, body) in [
        ("/v1/jobs/cancel", [:]), ("/v1/jobs/cancel", ["like": 1]), ("/v1/jobs/confirm", ["reason": "x"]),
        ("/v1/jobs/cancel", ["host": "", "state": "aborted"]), ("/v1/pause", ["destination": "x"]),
      ] as [(String, JSONValue)] {
        #expect(try await page.send(path, body).status == 400, "\(path) \(body)")
      }
      // what only the host itself may decide
      for (path, body) in [
        ("/v1/jobs/scanner-1:1/release", ["to": "/tmp"]), ("/v1/jobs/scanner-1:1/confirm", ["link": "s3://x/y"]),
        ("/v1/reload", [:]), ("/v1/pause", [:]),
      ] as [(String, JSONValue)] {
        #expect(try await page.send(path, body).status == 404, "\(path)")
      }
      #expect(try await page.send("/v1/jobs/scanner-1:1/discard", [:]).status == 403, "its allow has no discard")
      #expect(try await Self.asked(server) == "", "none of them did anything")
      // behind a proxy, the page's own origin has the proxy's name and scheme
      let own = [type, "Host: fleet.example.com", "Origin: https://fleet.example.com", "Sec-Fetch-Site: same-origin"]
      let answer = try await page.call("POST", Self.cancel, headers: own, body: body)
      #expect(answer.status == 202 && answer.body.contains("asked scanner-1"), "\(answer)")
      #expect(try await Self.asked(server) == "cancel|operators|anna|a b&c\n")
      #expect(page.journal.contains("operators asks for cancel: 1 commands"))
      let head = try await Command.require(["curl", "-q", "-sSI", page.origin])
      #expect(head.lowercased().contains("content-security-policy: default-src 'none'"), "\(head)")
      #expect(!head.contains("unsafe") && head.contains("nosniff"))
      #expect(try await page.stop() == .exit(0))
    }
  }

  @Test func settingsAloneDecideUser() async throws {
    try await Self.withHost { folder, server in
      func page(_ lines: [String], role: String = "anna", socket: Bool = false) async throws -> FleetPage {
        try await FleetPage(in: folder, database: server.database(role), lines: lines, socket: socket)
      }
      func status(_ page: FleetPage, _ headers: [String] = []) async throws -> Int {
        try await page.send(Self.cancel, Self.body, headers: headers).status
      }
      // nobody is set: all may look, and no header helps
      let open = try await page([])
      #expect(try await open.call("GET", "/v1/jobs").status == 200)
      for header in [
        "X-Remote-User: eve", "X-Forwarded-User: eve", "Remote-User: eve", "Authorization: Basic ZXZlOng=",
        "Waybill-On-Behalf-Of: eve",
      ] {
        #expect(try await status(open, [header]) == 403, "\(header)")
      }
      // the header that is set counts, and no other one
      let proxied = try await page(["user_header = \"X-Remote-User\""])
      #expect(try await status(proxied) == 403)
      #expect(try await status(proxied, ["X-Forwarded-User: eve"]) == 403)
      for name in ["", "a,b", "a (fleet, role boss)", String(repeating: "x", count: 129)] {
        #expect(try await status(proxied, ["X-Remote-User: \(name)"]) == 403, "\(name)")
      }
      #expect(try await Self.asked(server) == "")
      #expect(try await status(proxied, ["X-Remote-User: bert"]) == 202)
      // a peer at the socket may be a proxy, which says nothing of it: it is nobody, unless the settings say otherwise
      let silent = try await page([], socket: true)
      #expect(try await silent.call("GET", "/v1/jobs").status == 200)
      #expect(try await status(silent) == 403)
      let socket = try await page(["peer = true"], socket: true)
      #expect(try await status(socket, ["X-Remote-User: eve"]) == 202)
      let user = try await OwnUser.name
      #expect(try await Self.asked(server) == "cancel|bert|anna|a b&c\ncancel|\(user)|anna|a b&c\n")
      // a viewer's role can ask for nothing, whoever it is
      let viewer = try await page(["user = \"operators\""], role: "eva")
      #expect(try await viewer.call("GET", "/v1/jobs").status == 200)
      #expect(try await status(viewer) == 403)
      #expect(try await server.sql("SELECT count(*) FROM waybill.command").output == "2\n")
      for sql in [
        "INSERT INTO waybill.command (batch, ledger, owner, action, by_user, expires_at) VALUES (gen_random_uuid(), '\(Self.ledger)', 'one', 'x', 'x', now())",
        "DELETE FROM waybill.host", "UPDATE waybill.job SET state = 'registered'", "DELETE FROM waybill.command",
      ] { #expect(try await server.sql(sql, as: "eva").status != 0, "\(sql)") }
    }
  }

  /// Whoever opens connections to the page and says nothing keeps nobody else out.
  @Test func idleConnectionsDoNotBlockPage() async throws {
    try await Self.withHost { folder, server in
      for isSocket in [false, true] {
        let page = try await FleetPage(in: folder, database: server.database("anna"), lines: [], socket: isSocket)
        let place = isSocket ? page.origin : String(page.origin.dropFirst("http://".count))
        for path in ["/v1/status", "/"] {
          #expect(try await IdleCallers.ask(place, path, holding: 300) == "200 200 200\n", "\(path)")
        }
      }
    }
  }

  @Test func statusFollowsDatabase() async throws {
    try await Self.withHost { folder, server in
      let page = try await FleetPage(in: folder, database: server.database("eva"), lines: [])
      #expect(try await page.call("GET", "/v1/status").status == 200)
      try await server.stopAtOnce()
      #expect(try await page.call("GET", "/v1/status").status == 503)
      #expect(try await page.call("GET", "/").status == 200)
      try await server.start()
      try await until("the page to be back") { try await page.call("GET", "/v1/status").status == 200 }
    }
  }
}
