import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill check --probe`: what the servers honour, told before the first job meets it.
@Suite(.slot)
struct ProbeCommandTests {
  @Test func reportsSupportAndLeavesNothing() async throws {
    try await withRig(starting: false) { rig in
      for file in [rig.setup.accessKeyFile, rig.setup.secretKeyFile] {
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      }
      let check = try await rig.daemon.waybill("check", "--probe", "--config", rig.setup.config.path)
      #expect(check.status == 0, "\(check)")
      let lines = check.output.split(separator: "\n").dropFirst()
      #expect(lines.allSatisfy { $0.hasPrefix("  ") }, "no fault and no advice: \(check.output)")
      for words in [
        "storage.main stores an object", "storage.main shows an object with its metadata",
        "storage.main does not replace objects", "storage.main checks the hash that a request is signed with",
        "storage.main checks checksum = \"crc32c\"", "storage.main checks checksum = \"crc64nvme\"",
        "storage.main stores an object in parts with checksum = \"sha256\"", "storage.main aborts multipart uploads",
        "storage.main deletes objects", "storage.main ends unfinished multipart uploads by a lifecycle rule",
        "backend.main answers",
      ] {
        #expect(check.output.contains(words), "\(words) in \(check.output)")
      }
      #expect(try await rig.sandbox.objects().isEmpty)
      #expect(try await rig.sandbox.state().uploads == [])
      #expect(try rig.sandbox.registrations().isEmpty)
    }
  }

  /// Real servers, each with what it is known for.
  @Test(.needs(.s3Server, .openStack))
  func distinguishesRealStorages() async throws {
    for (storage, expected) in [
      (try RealS3.storage(), ["  storage.main does not replace objects", "  storage.main deletes objects"]),
      (
        try OpenStack.storage(),
        ["? storage.main refuses If-None-Match (HTTP 501)", "only a HEAD before each upload keeps objects"]
      ),
    ] {
      try await withRig(starting: false, { $0.storage = storage }) { rig in
        let check = try await rig.daemon.waybill("check", "--probe", "--config", rig.setup.config.path)
        for words in expected { #expect(check.output.contains(words), "\(words) in \(check.output)\(check.errors)") }
      }
    }
    try await withRig(
      starting: false,
      {
        $0.storage = try OpenStack.storage()
        $0.overwrite = true
      }
    ) { rig in
      let check = try await rig.daemon.waybill("check", "--probe", "--config", rig.setup.config.path)
      #expect(check.status == 0, "\(check)")
      #expect(check.output.contains("  storage.main refuses If-None-Match"), "\(check.output)")
      #expect(check.output.contains("  storage.main ignores checksum = \"crc32c\""), "\(check.output)")
    }
  }
}
