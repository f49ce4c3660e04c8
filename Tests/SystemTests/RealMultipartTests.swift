import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Large files and a gateway that others wrote, which has enough in the middle of one.
@Suite(.slot, .needs(.ceph))
struct RealMultipartTests {
  private static let part = 5 << 20

  /// The gateway takes one request at a time from the fifth part on, and somebody else has that one.
  @Test func slowDownResendsOnlyMissingParts() async throws {
    try await withOwnCeph { ceph in
      let wire = try await Wire(to: String(ceph.storage.endpoint.dropFirst("http://".count)), certificate: nil)
      try await withRig({
        $0.storage = ceph.storage
        $0.storage.endpoint = wire.url
        $0.sendInParts()
      }) { rig in
        let file = try SparseFile(rig.folder.appending(path: "large.bin"), size: 8 * Self.part - 7)
        let sums = try await file.sums(partSize: Self.part)
        try await wire.spoil(.hold, "somebody-else")
        try await wire.spoil(.hold, "partNumber=5&")
        let other = try somebodyElse(ceph.storage, at: wire, rig.folder)
        defer { other.cut() }
        try await wire.holds("somebody-else")
        try FileManager.default.moveItem(at: file.url, to: rig.setup.spool.appending(path: "large.bin"))
        try await wire.holds("partNumber=5&")
        try await ceph.fail("slowdown")
        try await wire.release("partNumber=5&")
        let aborted = try await rig.daemon.job(named: "large.bin", in: "aborted")
        #expect(aborted.error.status == 503 && aborted.error.code == "SlowDown")
        let told = try await rig.daemon.events(through: "aborted").last
        #expect(told?.message == "Upload of large.bin aborted: service unavailable (503)")
        try await ceph.fail("noslowdown")
        try await wire.release("somebody-else")
        #expect(try await rig.daemon.waybill("resume", "--storage", "main").status == 0)
        #expect(try await rig.daemon.waybill("retry", "1").status == 0)
        let job = try await rig.daemon.job(named: "large.bin", in: "registered")

        for number in 1...8 {
          let expected = number == 6 ? [503, 200] : [200]
          #expect(try ceph.statuses("partNumber=\(number)&") == expected, "part \(number)")
        }
        #expect(try ceph.statuses("?uploads") == [200], "it is one upload")
        let key = try #require(job.key.string)
        let object = try #require(try await S3Reader(storage: ceph.storage).object(key))
        #expect(object.count == file.size)
        #expect(try await Bytes.sha256(object) == sums.sha256)
        #expect(try rig.sandbox.registrations().count == 1)
      }
    }
  }

  /// A client whose request takes its time.
  private func somebodyElse(_ storage: StorageSetup, at wire: Wire, _ folder: URL) throws -> ChildProcess {
    let file = folder.appending(path: "theirs")
    try Data(count: 1 << 20).write(to: file)
    return try ChildProcess([
      "curl", "-q", "-sS", "--noproxy", "*", "-T", file.path, "--aws-sigv4", "aws:amz:\(storage.region):s3",
      "--user", "\(storage.accessKey):\(storage.secretKey)", "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD",
      "\(wire.url)/\(storage.bucket)/somebody-else",
    ])
  }
}
