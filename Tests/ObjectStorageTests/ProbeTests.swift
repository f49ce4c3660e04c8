import ChildProcesses
import LoopbackPeer
import Settings
import Testing

@testable import ObjectStorage

/// The trial object of `waybill check --probe`.
@Suite(.slot) struct ProbeTests {
  @Test(arguments: ["aws", "r2", "b2", "gcs", "garage", "seaweedfs", "minio", "scaleway", "wasabi"])
  func defaultSettingsPass(_ dialect: String) async throws {
    let sandbox = try await SandboxStorage(["--dialect", dialect])
    let findings = await (try TestBucket.make(sandbox.url)).probe(bucket: "documents", key: "trial")
    #expect(findings.allSatisfy { $0.weight != .fault }, "\(dialect): \(findings)")
    // Its ETags are weak, so a PUT alone proves nothing.
    if dialect != "scaleway" { #expect(findings.first == ProbeFinding(.fits, "stores an object"), "\(findings)") }
    #expect(findings.last == ProbeFinding(.fits, "deletes objects"), "\(findings)")
    let condition: [String: String] = ["b2": "refuses", "gcs": "ignores", "garage": "ignores", "wasabi": "ignores"]
    if let word = condition[dialect] {
      #expect(findings.contains { $0.weight == .advice && $0.words.hasPrefix("\(word) If-None-Match") }, "\(findings)")
    }
    if dialect == "aws" { #expect(findings.contains(ProbeFinding(.fits, "does not replace objects"))) }
  }

  @Test func refusalNamesSetting() async throws {
    let body = "<Error><Code>NotImplemented</Code><Message>x</Message><Header>x-amz-checksum-crc32c</Header></Error>"
    let peer = try LoopbackPeer { _ in .answer(501, [:], body) }
    let findings = await (try TestBucket.make(peer.url, checksum: .crc32c)).probe(bucket: "documents", key: "trial")
    #expect(findings.count == 1 && findings[0].weight == .fault, "\(findings)")
    #expect(findings[0].words.hasPrefix("cannot store an object: HTTP 501 NotImplemented"))
    #expect(findings[0].words.contains("checksum = \"sha256\""))
    #expect(findings[0].report == "cannot store an object: HTTP 501 NotImplemented")
    #expect(peer.requests.map(\.method) == ["PUT"])
  }

  @Test func namesWhatAnswerSaysOfServer() async throws {
    let headers = [
      "ETag": "\"e\"", "Server": "Some/1", "x-amz-version-id": "v", "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
    ]
    let peer = try LoopbackPeer { $0.method == "PUT" ? .answer(200, headers) : .answer(404) }
    let findings = await (try TestBucket.make(peer.url)).probe(bucket: "documents", key: "trial")
    #expect(findings.map(\.weight) == [.fits, .advice, .fault], "\(findings)")
    #expect(findings[1].words.hasPrefix("calls itself Some/1, keeps versions, has a clock that differs"), "\(findings)")
    #expect(findings[2].words.contains("does not have it"))
  }

  @Test func reportHidesKey() async throws {
    let sandbox = try await SandboxStorage()
    try await sandbox.fail(#"{"delete": {"status": 403, "code": "AccessDenied"}}"#)
    let findings = await (try TestBucket.make(sandbox.url)).probe(bucket: "documents", key: "scans/host-1")
    #expect(findings.last?.words.contains("and scans/host-1 was left behind") == true, "\(findings)")
    #expect(
      findings.last?.report
        == "does not delete (HTTP 403 AccessDenied): cancel --remove will leave objects, and the object was left behind"
    )
  }
}
