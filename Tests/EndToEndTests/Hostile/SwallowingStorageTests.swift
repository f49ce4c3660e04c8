import ChildProcesses
import Foundation
import LoopbackPeer
import Testing

/// Storages that answer well and store nothing, against one real daemon: no file is removed, one question is asked for each of
/// them, and its gate is closed.
@Suite(.slot, .bounded)
struct SwallowingStorageTests {
  @Test func noFileIsRemovedThatWasNotStored() async throws {
    let storages = SwallowingStorage.all
    #expect(Set(storages.map(\.name)).count == storages.count && storages.count >= 20)
    let peer = try SwallowingStorage.peer(storages)
    let places = storages.map { (name: $0.name, url: "\(peer.url)/\($0.name)", isInParts: $0.isInParts) }
    try await expectNothingIsLost(places)
  }

  @Test(.enabled(if: NginxProxy.canRun, "needs nginx")) func realNginxSwallowsNoFile() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try folder.write("index.html", "<html>Welcome</html>\n")
    let servers = NginxAsStorage.servers(folder.url.path)
    let nginx = try await NginxProxy(serving: NginxAsStorage.lines(servers), in: folder.url)
    defer { nginx.cut() }
    let url = "http://127.0.0.1:\(nginx.port)"
    try await expectNothingIsLost(servers.keys.sorted().map { ($0, "\(url)/\($0)", false) })
  }

  private func expectNothingIsLost(_ places: [(name: String, url: String, isInParts: Bool)]) async throws {
    try await withRig({ setup in
      setup.concurrency = 64
      setup.furtherSpools = try places.map { place in
        let lines = place.isInParts ? ["part_size = \"5MiB\"", "multipart_threshold = \"5MiB\""] : []
        return try setup.hostile(place.name, .storage, url: place.url, lines: lines)
      }.joined()
    }) { rig in
      func data(_ place: (name: String, url: String, isInParts: Bool)) -> Data {
        place.isInParts ? Data("0123456789".utf8) + Data(count: 5 << 20) : Data("0123456789".utf8)
      }
      for place in places { try rig.drop("\(place.name)-1.pdf", data(place), in: place.name) }
      for place in places {
        do {
          let job = try await rig.daemon.job(named: "\(place.name)-1.pdf", in: "awaiting-confirmation")
          #expect(job.error.kind == "destination", "\(place.name): \(job.error)")
          #expect(job.step == "upload" && job.link.isNull, "\(place.name)")
          let path = try #require(job.existingPath, "\(place.name): \(job)")
          #expect(FileManager.default.contents(atPath: path) == data(place), "\(place.name)")
          // One question for the destination: the next file waits without having been sent.
          try rig.drop("\(place.name)-2.pdf", data(place), in: place.name)
        } catch {
          Issue.record("\(place.name): \(error)")
        }
      }
      try await until("all to be admitted") { try await rig.daemon.count("queued") == places.count }
      let gates = try await rig.daemon.status().gates.array
      for place in places {
        #expect(
          gates.contains { $0.destination.string == "storage.\(place.name)" && $0.reason == "question" },
          "\(place.name)")
        let second = try await rig.daemon.jobs().first { $0.name.string == "\(place.name)-2.pdf" }
        #expect(second?.held_by.reason == "question" && second?.attempt == 0, "\(place.name): \(second ?? .null)")
        #expect(second?.existingPath != nil, "\(place.name)")
      }
      // Another storage's jobs go on, and nothing of these was registered.
      try await rig.drop("after.pdf", until: "registered")
      #expect(try rig.sandbox.registrations().count == 1)
      let check = try await rig.daemon.waybill("check", "--probe", "--config", rig.setup.config.path)
      #expect(check.status == 78)
      for place in places where !place.isInParts {
        let told = check.output.split(separator: "\n").filter { $0.contains("storage.\(place.name) ") }
        #expect(told.contains { Self.isFault($0) }, "\(place.name): \(told)")
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
