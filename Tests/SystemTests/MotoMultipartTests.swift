import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Uploads in parts at a server that nobody here wrote.
@Suite(.slot) struct MotoMultipartTests {
  private static let part = 5 << 20

  private static func inParts(_ setup: inout DaemonSetup) {
    setup.sendInParts()
    setup.delays = ["50ms", "50ms"]
  }

  /// The root of moto's list of parts has a name of its own. The upload goes on all the same, and a cancel cleans up.
  @Test(.needs(.moto), arguments: [false, true])
  func resumesUploadAndCleansUp(isCancelled: Bool) async throws {
    try await withMoto { moto in
      try await withRig(starting: false, Self.inParts) { outer in
        try await Command.require([
          "curl", "-q", "-sS", "--fail", "--noproxy", "*", "-X", "PUT", "-H",
          "Authorization: AWS4-HMAC-SHA256 Credential=a/20261124/us-east-1/s3/aws4_request", moto.address + "/parts",
        ])
        let wire = try await Wire(to: String(moto.address.dropFirst("http://".count)), certificate: nil)
        let request = "partNumber=3&"
        try await wire.spoil(.hold, request)
        var setup = outer.setup
        setup.storage = StorageSetup(endpoint: wire.url, bucket: "parts", accessKey: "a", secretKey: "s")
        try setup.write()
        let daemon = Daemon(setup)
        defer { daemon.cut() }
        try await daemon.start()
        let rig = Rig(folder: outer.folder, sandbox: outer.sandbox, daemon: daemon, journal: nil)
        try rig.drop("large.bin", try Bytes.random(3 * Self.part))
        try await wire.holds(request)
        try await rig.daemon.kill()
        try await wire.release(request)
        if isCancelled {
          // The registration waits, so that the cancel comes in time whatever the upload has come to.
          try await rig.sandbox.fail(["register": ["hold": true]])
        }
        try await rig.daemon.start()
        if isCancelled {
          try await until("the job to be known") { try await rig.daemon.newestJob(named: "large.bin") != nil }
          #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
          try await until("nothing to be owed") {
            try await ["clean", "removed"].contains(rig.daemon.job(1).remote.string)
          }
        } else {
          try await rig.daemon.job(named: "large.bin", in: "registered")
        }
      }
    }
  }
}
