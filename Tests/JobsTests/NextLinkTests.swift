import Jobs
import Testing

@Suite struct NextLinkTests {
  private static let id = JobID(high: 7, low: 7)
  private static let receipt = UploadReceipt(
    bucket: "b", key: "k", size: 3, etag: "e1", version: nil, sha256: "44ce", checksum: nil, contentType: "a/b",
    uploadedAt: .start)

  private static func body(_ link: String, _ id: JobID?, _ receipt: UploadReceipt?, _ files: String? = nil) -> [UInt8] {
    let facts = [
      link, id?.description, receipt?.etag, receipt?.version, receipt?.sha256, receipt?.uploadedAt.rfc3339, files,
    ]
    return Array(facts.map { $0 ?? "null" }.joined(separator: " ").utf8)
  }

  private func next(
    _ link: String = "s3://b/k", _ receipt: UploadReceipt? = receipt, files: String? = nil, after earlier: StoredLink?,
    wasTold: Bool = true, isIDTaken: Bool = false
  ) -> StoredLink {
    StoredLink.next(
      link, receipt, after: earlier, wasTold: wasTold, isIDTaken: isIDTaken, hasFiles: files != nil,
      newID: { Self.id },
      body: { Self.body(link, $0, $1, files) })
  }

  private static let changes: [@Sendable (inout UploadReceipt) -> Void] = [
    { $0.etag = "e2" }, { $0.version = "v2" }, { $0.sha256 = "45" }, { $0.size = 4 }, { $0.key = "l" },
    { $0.crc64nvme = "x" },
  ]

  @Test func firstLinkUsesJobID() {
    for wasTold in [true, false] {
      let link = next(after: nil, wasTold: wasTold)
      #expect(link.id == nil && link.body == Self.body("s3://b/k", nil, Self.receipt))
    }
  }

  /// A ledger that was lost may have registered other bytes under the job's id.
  @Test func takenIDIsNotUsed() {
    let first = next(after: nil, isIDTaken: true)
    #expect(first.id == Self.id && first.body == Self.body("s3://b/k", Self.id, Self.receipt))
    #expect(next(after: first, isIDTaken: true) === first)
    #expect(next(after: first, wasTold: false, isIDTaken: true).id == Self.id)
  }

  @Test(arguments: changes.indices) func reportedObjectChangeGetsNewID(_ change: Int) {
    var other = Self.receipt
    Self.changes[change](&other)
    let first = next(after: nil)
    let told = next("s3://b/k", other, after: first)
    #expect(told.id == Self.id && told.body == Self.body("s3://b/k", Self.id, other) && told.receipt == other)
    let untold = next("s3://b/k", other, after: first, wasTold: false)
    #expect(untold.id == nil && untold.body == Self.body("s3://b/k", nil, other))
    // Not even a second time under the id of the first.
    #expect(next(after: told).id == Self.id)
  }

  @Test(arguments: [true, false]) func sameObjectReusesLink(_ hasItsOwnID: Bool) {
    var first = next(after: nil)
    if hasItsOwnID { first = next("s3://b/l", after: first) }
    var later = Self.receipt
    later.uploadedAt = .start + .seconds(60)
    #expect(next(first.link, later, after: first) === first)
  }

  @Test func changedLinkGetsNewID() {
    let first = next(after: nil)
    #expect(next("https://cdn/k", after: first).id == Self.id)
    let named = next("s3://b/k", nil, after: first)
    #expect(named.id == Self.id && named.receipt == nil, "of a person's link nothing else is known")
    #expect(next("s3://b/k", nil, after: named) === named)
    #expect(next(after: named).id == Self.id)
  }

  @Test func changedGroupFilesGetNewID() {
    let first = next(files: "a:v1 b:v1", after: nil)
    var later = Self.receipt
    later.uploadedAt = .start + .seconds(60)
    #expect(next("s3://b/k", later, files: "a:v1 b:v1", after: first) === first)
    let other = next("s3://b/k", later, files: "a:v1 b:v2", after: first)
    #expect(other.id == Self.id && other.body == Self.body("s3://b/k", Self.id, later, "a:v1 b:v2"))
  }
}
