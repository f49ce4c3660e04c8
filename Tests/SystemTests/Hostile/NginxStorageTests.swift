import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A real nginx that stands where a storage should, and stores nothing: no file is removed, and one question is asked for each storage.
@Suite(.slot, .bounded)
struct NginxStorageTests {
  @Test(.needs(.nginx)) func realNginxSwallowsNoFile() async throws {
    let folder = try TemporaryFolder()
    try folder.write("index.html", "<html>Welcome</html>\n")
    let servers = NginxAsStorage.servers(folder.url.path)
    let nginx = try await NginxProxy(serving: NginxAsStorage.lines(servers), in: folder.url)
    defer { nginx.cut() }
    let url = "http://127.0.0.1:\(nginx.port)"
    let names = servers.keys.sorted()
    let data = Data("0123456789".utf8)
    try await withRig({ setup in
      setup.concurrency = 64
      setup.furtherSpools = try names.map { name in
        try setup.hostile(name, .storage, url: "\(url)/\(name)", lines: [])
      }.joined()
    }) { rig in
      for name in names { try rig.drop("\(name)-1.pdf", data, in: name) }
      for name in names {
        let job = try await rig.daemon.job(named: "\(name)-1.pdf", in: "awaiting-confirmation")
        #expect(job.error.kind == "destination" && job.step == "upload" && job.link.isNull, "\(name): \(job)")
        let path = try #require(job.existingPath, "\(name): \(job)")
        #expect(FileManager.default.contents(atPath: path) == data, "\(name)")
        // One question for the destination: the next file waits.
        try rig.drop("\(name)-2.pdf", data, in: name)
      }
      try await until("all to be held") {
        try await rig.daemon.jobs().count { $0.state == "queued" && $0.held_by.reason == "question" } == names.count
      }
      // Another storage's jobs go on, and nothing of these was registered.
      try await rig.drop("after.pdf", until: "registered")
      #expect(try rig.sandbox.registrations().count == 1)
      let check = try await rig.daemon.waybill("check", "--probe", "--config", rig.setup.config.path)
      #expect(check.status == 78)
      for name in names {
        let told = check.output.split(separator: "\n").filter { $0.contains("storage.\(name) ") }
        #expect(told.contains { Self.isFault($0) }, "\(name): \(told)")
      }
    }
  }

  private static func isFault(_ line: Substring) -> Bool {
    ["does not show", "does not have it", "without its metadata", "another size", "cannot store"].contains {
      line.contains($0)
    }
  }
}

/// Locations of a real nginx that stand where a storage should.
enum NginxAsStorage {
  /// By name; `root` is a folder with an `index.html`.
  static func servers(_ root: String) -> [String: String] {
    [
      "no-content": "return 204;",
      "created": "return 201;",
      "empty": "return 200;",
      "text": "return 200 ok;",
      "page": "default_type text/html; return 200 \"<html>Welcome</html>\";",
      "with-etag": "add_header ETag '\"5f-18c2\"' always; return 200;",
      "echo":
        "add_header ETag '\"5f-18c2\"'; add_header x-amz-meta-waybill-id $http_x_amz_meta_waybill_id; return 200;",
      "static": "alias \(root)/;",
      "static-that-says-200": "alias \(root)/; error_page 404 405 =200 /static-page.html;",
      "sorry": "proxy_pass http://127.0.0.1:9; error_page 502 504 =200 /static-page.html;",
      "sorry-204": "proxy_pass http://127.0.0.1:9; error_page 502 504 =204 /nothing;",
      "dav": "alias \(root)/; dav_methods PUT DELETE; create_full_put_path on;",
      "forbidden": "deny all;",
      "elsewhere": "return 302 /login;",
    ]
  }

  static func lines(_ servers: [String: String]) -> String {
    servers.map { "location /\($0.key)/ { \($0.value) }" }.joined(separator: "\n")
      + "\nclient_max_body_size 0;\nlocation = /static-page.html { default_type text/html; return 200 '<html>Sorry</html>'; }"
      + "\nlocation = /nothing { return 204; }"
  }
}
