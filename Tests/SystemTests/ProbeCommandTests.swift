import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill check --probe`: what the servers honour, told before the first job meets it.
@Suite(.slot)
struct ProbeCommandTests {
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
