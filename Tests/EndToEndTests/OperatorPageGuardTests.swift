import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Who gets at the daemon by way of the operator's page, and who does not.
@Suite(.slot)
struct OperatorPageGuardTests {
  private static let files = ["/", "/page.css", "/icon.svg", "/page.js"]

  private func call(
    _ web: WebPage, _ words: String..., token: String? = nil, headers: [String] = [],
    body: String? = nil
  ) async throws -> HTTPAnswer {
    var options = headers.flatMap { ["-H", $0] }
    if let token { options += ["-H", "X-Waybill-Token: \(token)"] }
    return try await HTTPAnswer.call(
      words.count > 1 ? words[0] : "GET", web.origin + words[words.count - 1], body: body, options: options)
  }

  @Test func requiresTokenHostAndOrigin() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let web = try await WebPage(rig)
      let port = web.origin.split(separator: ":").last.map(String.init) ?? ""
      #expect(web.token.count == 32 && web.origin.hasPrefix("http://127.0.0.1:"))

      // The page itself has nothing of the daemon's in it, and is everybody's.
      for path in Self.files { #expect(try await call(web, path).status == 200) }
      // Without the token nothing else is, nor with another one, nor with it at another place.
      for token in [nil, "", "x", String(web.token.dropLast()), String(web.token.reversed()) + "0"] {
        #expect(try await call(web, "/v1/status", token: token).status == 403)
        #expect(try await call(web, "POST", "/v1/jobs/1/cancel", token: token, body: "{}").status == 403)
        #expect(try await call(web, "/v1/events", token: token).status == 403)
      }
      #expect(try await call(web, "/v1/status?token=\(web.token)").status == 403)
      #expect(try await call(web, "/v1/status", headers: ["Cookie: token=\(web.token)"]).status == 403)
      // With it all that the page calls is there, and nothing else.
      #expect(try await call(web, "/v1/status", token: web.token).json.counts["awaiting-confirmation"] == 1)
      #expect(try await call(web, "/metrics", token: web.token).status == 404)
      #expect(try await call(web, "DELETE", "/v1/jobs/1", token: web.token).status == 405)

      // A name that leads here, another page, and a page of the same machine.
      for host in [
        "evil.example", "evil.example:\(port)", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:\(port)",
      ] {
        let answer = try await call(web, "/v1/status", token: web.token, headers: ["Host: \(host)"])
        #expect(answer.status == 421, "\(host)")
        #expect(try await call(web, "/", headers: ["Host: \(host)"]).status == 421, "\(host)")
      }
      #expect(try await call(web, "/v1/status", token: web.token, headers: ["Host: localhost:\(port)"]).status == 200)
      for origin in ["https://evil.example", "http://127.0.0.1:1", "null", "http://localhost:\(port)"] {
        let answer = try await call(
          web, "POST", "/v1/jobs/1/cancel", token: web.token, headers: ["Origin: \(origin)"], body: "{}")
        #expect(answer.status == 403, "\(origin)")
      }
      for site in ["cross-site", "same-site"] {
        let answer = try await call(
          web, "POST", "/v1/jobs/1/cancel", token: web.token, headers: ["Sec-Fetch-Site: \(site)"], body: "{}")
        #expect(answer.status == 403, "\(site)")
      }
      #expect(try await rig.daemon.job(1).state == "awaiting-confirmation", "none of them did anything")
      let own = ["Origin: \(web.origin)", "Sec-Fetch-Site: same-origin"]
      #expect(
        try await call(web, "POST", "/v1/jobs/1/cancel", token: web.token, headers: own, body: "{}").status == 200)
      #expect(try await rig.daemon.job(1).state == "cancelled")

      // Not even other addresses of this machine are listened on.
      let listening = try await Command.require(["ss", "-Hltn", "sport = :\(port)"])
      #expect(listening.contains("127.0.0.1:\(port)") && listening.split(separator: "\n").count == 1)
      for number in [SIGINT, SIGTERM] {
        let other = try await WebPage(rig)
        #expect(other.token != web.token)
        #expect(try await other.stop(number) == .exit(0))
      }
    }
  }

  /// Where somebody leads a browser to the socket itself (`ssh -L`), any page could ask it for things.
  @Test func socketRefusesBrowsers() async throws {
    try await withRig { rig in
      for (header, words) in [
        ("Origin: http://localhost", "waybill web"), ("Sec-Fetch-Site: same-origin", "waybill web"),
        ("Sec-Fetch-Site: cross-site", "waybill web"), ("Host: evil.example", "evil.example"),
      ] {
        for (method, path) in [("GET", "/v1/status"), ("POST", "/v1/pause"), ("GET", "/metrics")] {
          let answer = try await HTTPAnswer.call(
            method, "http://localhost\(path)", options: ["--unix-socket", rig.setup.socket, "-H", header])
          #expect(answer.status == 403 && answer.body.contains(words), "\(header): \(answer)")
        }
      }
      #expect(try await rig.daemon.status().pauses.array.isEmpty)
      let page = try await rig.daemon.control("GET", "/")
      #expect(page.status == 200 && page.contentType == "text/html; charset=utf-8")
      #expect(try await rig.daemon.control("POST", "/").status == 405)
    }
  }

  @Test func pageIsSmallAndSandboxed() async throws {
    try await withRig { rig in
      let head = try await Command.require([
        "curl", "-q", "-sSI", "--unix-socket", rig.setup.socket, "http://localhost/",
      ])
      let policy = try #require(
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-security-policy:") })
      #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe") && !policy.contains("http"))
      #expect(policy.contains("frame-ancestors 'none'") && policy.contains("require-trusted-types-for 'script'"))
      var size = 0
      let document = try await rig.daemon.control("GET", "/").body
      let named = document.matches(of: /(?:src|href)="(\/[^"]*)"/).map { String($0.1) }
      #expect(Set(named + ["/"]) == Set(Self.files), "each of its files is asked for, and nothing else")
      for path in Self.files {
        let body = try await rig.daemon.control("GET", path).body
        size += body.utf8.count
        let foreign = body.firstMatch(of: /(?:(?:src|href)\s*=|(?:url|import|fetch)\s*\(|from)\s*["']?https?:/)
        #expect(foreign == nil, "\(path) is to load nothing from elsewhere: \(foreign?.output ?? "")")
      }
      #expect((10_000..<112 << 10).contains(size))
    }
  }
}
