import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Keys and tokens turn up nowhere but in the requests that they are for.
@Suite(.slot, .needs(.testUsers, .lease))
struct SecretsTests {
  /// Beside the storage's own.
  private static let secrets = ["tok-8d1f0c", "hdr-55b7aa", "c2lnbmluZy1zZWNyZXQtOTE3"]

  @Test func secretsNeverLeak() async throws {
    try await withRig(journal: true, starting: false, users: OtherUsers(leases: true)) { setup in
      for (name, secret) in zip(["token", "header", "signing"], Self.secrets) {
        try secret.write(to: setup.folder.appending(path: name), atomically: true, encoding: .utf8)
      }
      let path = setup.folder.path
      setup.backendLines = [
        "token = { file = \"\(path)/token\" }", "signing_secret = { file = \"\(path)/signing\" }",
        "headers = { X-Api-Key = { file = \"\(path)/header\" } }",
      ]
    } _: { rig in
      try await Command.require(["chown", "-R", OtherUser.daemon.name, rig.folder.path])
      try await rig.daemon.start()
      try await rig.drop("taken.pdf", until: "registered")
      try await rig.sandbox.fail(["upload": ["status": 403, "code": "InvalidAccessKeyId"]])
      try await rig.drop("refused.pdf", until: "awaiting-credentials")

      let pid = try rig.daemon.child().pid
      var places = [
        "arguments": try Data(contentsOf: URL(filePath: "/proc/\(pid)/cmdline")),
        "environment": try Data(contentsOf: URL(filePath: "/proc/\(pid)/environ")),
        "standard error": Data(try rig.daemon.errorText.utf8),
      ]
      for path in ["/v1/status", "/v1/jobs", "/v1/jobs/1", "/v1/jobs/2", "/v1/credentials"] {
        places[path] = Data(try await rig.daemon.control("GET", path).body.utf8)
      }
      for file in try FileManager.default.contentsOfDirectory(at: rig.setup.state, includingPropertiesForKeys: nil)
      where file.lastPathComponent.hasPrefix("ledger") {
        places[file.lastPathComponent] = try Data(contentsOf: file)
      }
      let journal = try #require(rig.journal)
      places["journal"] = Data(try await journal.text().utf8)
      for place in ["arguments", "environment", "journal", "ledger.sqlite-wal", "/v1/jobs/1", "/v1/credentials"] {
        #expect(places[place]?.isEmpty == false, "\(place) is read")
      }
      for secret in Self.secrets + [rig.setup.storage.secretKey] {
        for (place, bytes) in places { #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(place)") }
      }
    }
  }

  /// A process that makes no core file belongs to root in `/proc`, where its own user cannot look into it (proc(5)).
  @Test func daemonMakesNoCoreFile() async throws {
    try await withRig(users: OtherUsers(leases: true)) { rig in
      let child = try rig.daemon.child()
      let facts = try FileManager.default.attributesOfItem(atPath: "/proc/\(child.pid)/environ")
      #expect(facts[.ownerAccountID] as? Int == 0)
      let status = try String(contentsOfFile: "/proc/\(child.pid)/status", encoding: .utf8)
      #expect(!status.contains("Uid:\t0\t"), "the daemon has a user of its own")
    }
  }
}
