import ChildProcesses
import Jobs
import LoopbackPeer
import Testing

@testable import ObjectStorage

/// Rules of a bucket that end unfinished uploads, as far as a bucket shows them.
@Suite(.slot) struct UploadExpiryTests {
  private static let ending =
    "<AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload>"

  private static func rule(_ filter: String, status: String = "Enabled", _ action: String = ending) -> String {
    "<Rule><ID>r</ID>\(filter)<Status>\(status)</Status>\(action)</Rule>"
  }

  @Test(
    arguments: [
      ([], [], ["", "scans/"]),
      ([rule("<Filter/>")], ["", "scans/"], []),
      ([rule("<Filter><Prefix></Prefix></Filter>")], ["", "scans/"], []),
      ([rule("<Prefix/>")], ["", "scans/"], []),
      ([rule("")], ["", "scans/"], []),
      ([rule("<Filter><Prefix>scans/</Prefix></Filter>")], ["scans/", "scans/a"], ["", "scan", "other/"]),
      ([rule("<Filter><Tag><Key>a</Key><Value>b</Value></Tag></Filter>")], [], ["", "scans/"]),
      ([rule("<Filter/>", status: "Disabled")], [], [""]),
      ([rule("<Filter/>", "<Expiration><Days>1</Days></Expiration>")], [], [""]),
      ([rule("<Prefix>a/</Prefix>"), rule("<Prefix>b/</Prefix>")], ["a/", "b/"], ["", "c/"]),
    ] as [([String], [String], [String])])
  func ruleCoversItsKeys(_ rules: [String], _ covered: [String], _ bare: [String]) async throws {
    let peer = try LoopbackPeer { _ in
      .answer(200, [:], "<LifecycleConfiguration>\(rules.joined())</LifecycleConfiguration>")
    }
    let expiry = try await TestBucket.make(peer.url).uploadExpiry(of: "documents")
    for prefix in covered { #expect(expiry.covers(prefix), "\(prefix)") }
    for prefix in bare { #expect(!expiry.covers(prefix), "\(prefix)") }
    #expect(peer.requests.map(\.target) == ["/documents?lifecycle="])
  }

  @Test func missingRuleDiffersFromRefusal() async throws {
    func answer(_ status: Int, _ code: String) async throws -> S3Bucket.UploadExpiry {
      let peer = try LoopbackPeer { _ in .answer(status, [:], "<Error><Code>\(code)</Code></Error>") }
      return try await TestBucket.make(peer.url).uploadExpiry(of: "documents")
    }
    #expect(try await answer(404, "NoSuchLifecycleConfiguration").prefixes.isEmpty)
    await #expect(throws: Failure.self) { _ = try await answer(403, "AccessDenied") }
    await #expect(throws: Failure.self) { _ = try await answer(501, "NotImplemented") }
    await #expect(throws: Failure.self) { _ = try await answer(404, "NoSuchBucket") }
  }
}
