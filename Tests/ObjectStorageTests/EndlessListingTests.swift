import ChildProcesses
import Jobs
import LoopbackPeer
import Synchronization
import Testing

@testable import ObjectStorage

/// Listings of a storage that lies: pages without end, numbers that no part has, texts that nobody needs.
///
/// A test that never ends fails by its time limit.
@Suite(.slot, .bounded) struct EndlessListingTests {
  private static func part(_ number: String, etag: String = "e") -> String {
    "<Part><PartNumber>\(number)</PartNumber><ETag>\(etag)</ETag><Size>5</Size></Part>"
  }

  private static func parts(_ content: String) -> LoopbackPeer.Reply {
    .answer(200, [:], "<ListPartsResult><IsTruncated>true</IsTruncated>\(content)</ListPartsResult>")
  }

  @Test(arguments: [
    "", "<NextPartNumberMarker>2</NextPartNumberMarker>", "<NextPartNumberMarker>0</NextPartNumberMarker>",
  ])
  func repeatedPartPageEndsListing(_ marker: String) async throws {
    let peer = try LoopbackPeer { _ in Self.parts(marker + Self.part("1") + Self.part("2")) }
    let parts = try await TestBucket.make(peer.url).listParts(of: "u", TestFile([1]).object().address)
    #expect(parts?.keys.sorted() == [1, 2])
    #expect(peer.requests.count <= 2)
  }

  /// There are at most 10,000 parts ("Amazon S3 multipart upload limits").
  @Test func partListingEndsAtMaximumNumber() async throws {
    let next = Mutex(9_000)
    let peer = try LoopbackPeer { _ in
      let first = next.withLock { next in
        next += 100
        return next
      }
      return Self.parts((first..<(first + 100)).map { Self.part(String($0)) }.joined())
    }
    let parts = try await TestBucket.make(peer.url).listParts(of: "u", TestFile([1]).object().address)
    #expect(parts?.keys.max() == 10_000)
    #expect(peer.requests.count < 20)
  }

  @Test func ignoresInvalidPartNumbers() async throws {
    let numbers = [
      "0", "-1", "10001", "9223372036854775807", "1" + String(repeating: "0", count: 30), "x", "", "٣", "3",
    ]
    let peer = try LoopbackPeer { _ in Self.parts(numbers.map { Self.part($0) }.joined()) }
    let parts = try await TestBucket.make(peer.url).listParts(of: "u", TestFile([1]).object().address)
    #expect(parts?.keys.sorted() == [3])
  }

  /// Ten thousand of them are held, and sent back with the upload's end.
  @Test func ignoresOverlongETag() async throws {
    let long = String(repeating: "e", count: 100_000)
    let peer = try LoopbackPeer { request in
      request.method == "GET"
        ? Self.parts(Self.part("1", etag: long)) : .answer(200, ["ETag": String(long.prefix(50_000))])
    }
    #expect(try await TestBucket.make(peer.url).listParts(of: "u", TestFile([1]).object().address) == [:])
    let failure = try await TestBucket.make(peer.url).upload(TestFile([1]).object()).requireFailed()
    #expect(failure.kind == .destination && failure.words.utf8.count < 1000)
  }

  @Test func ignoresOverlongVersionID() async throws {
    let peer = try LoopbackPeer { _ in
      .answer(200, ["ETag": "\"e\"", "x-amz-version-id": String(repeating: "v", count: 50_000)])
    }
    let receipt = try await TestBucket.make(peer.url).upload(TestFile([1]).object()).get()
    #expect(receipt.etag == "e" && receipt.version == nil)
  }

  /// Each page is another one, so that only their number tells that there is no end.
  @Test func boundsEndlessUploadListing() async throws {
    let count = Mutex(0)
    let peer = try LoopbackPeer { request in
      if request.method == "DELETE" { return .answer(204) }
      let first = count.withLock { count in
        count += 500
        return count
      }
      let uploads = (first..<(first + 500)).map {
        "<Upload><Key>k</Key><UploadId>\($0)</UploadId><Initiated>2001-01-01T00:00:00Z</Initiated></Upload>"
      }
      return .answer(
        200, [:],
        "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated>\(uploads.joined())</ListMultipartUploadsResult>")
    }
    let bucket = try TestBucket.make(peer.url)
    try await bucket.abortForgotten(TestFile([1]).object(key: "k").address, since: Timestamp(seconds: 1_700_000_000))
    #expect(peer.requests.count <= S3Bucket.mostUploads / 500)
  }

  @Test func ignoresOverlongUploadIDs() async throws {
    let long = String(repeating: "u", count: 100_000)
    let peer = try LoopbackPeer { request in
      let root = request.method == "GET" ? "ListMultipartUploadsResult" : "InitiateMultipartUploadResult"
      let upload =
        "<Upload><Key>k</Key><UploadId>\(long)</UploadId></Upload><UploadId>\(long.prefix(50_000))</UploadId>"
      return .answer(200, [:], "<\(root)>\(upload)</\(root)>")
    }
    let bucket = try TestBucket.make(peer.url)
    try await bucket.forEachPage(ofUploadsIn: "documents", prefix: "k") { uploads in
      #expect(uploads == [])
      return true
    }
    await #expect(throws: Failure.self) { try await bucket.create(TestFile([1]).object()) }
  }
}
