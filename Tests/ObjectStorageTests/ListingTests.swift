import ChildProcesses
import Jobs
import LoopbackPeer
import Synchronization
import Testing
import XML

@testable import ObjectStorage

@Suite(.slot) struct ListingTests {
  @Test func listsPartsPageByPage() async throws {
    let peer = try LoopbackPeer { request in
      let isSecond = request.target.contains("part-number-marker=2")
      let parts = isSecond ? [(3, "c")] : [(1, "a"), (2, "b")]
      let listed = parts.map {
        "<Part><PartNumber>\($0)</PartNumber><ETag>&quot;\($1)&quot;</ETag><Size>5</Size>"
          + "<ChecksumSHA256>s\($0)</ChecksumSHA256></Part>"
      }
      let marker = isSecond ? "" : "<NextPartNumberMarker>2</NextPartNumberMarker>"
      return .answer(
        200, [:],
        "<?xml version=\"1.0\"?><ListPartsResult><IsTruncated>\(!isSecond)</IsTruncated>\(marker)\(listed.joined())"
          + "</ListPartsResult>")
    }
    let parts = try await TestBucket.make(peer.url).listParts(of: "u+/=", TestFile([1]).object(key: "k").address)
    #expect(
      parts == [
        1: ListedPart(size: 5, etag: "\"a\"", checksum: "s1"), 2: ListedPart(size: 5, etag: "\"b\"", checksum: "s2"),
        3: ListedPart(size: 5, etag: "\"c\"", checksum: "s3"),
      ])
    #expect(
      peer.requests.map(\.target) == [
        "/documents/k?max-parts=1000&uploadId=u%2B%2F%3D",
        "/documents/k?max-parts=1000&part-number-marker=2&uploadId=u%2B%2F%3D",
      ])
  }

  /// As moto has it, with a prefix before each name, and without the root's name being known.
  @Test(arguments: ["ListPartsResponse", "s3:ListPartsResult", "Parts"])
  func readsListUnderAnyRoot(_ root: String) async throws {
    let isPrefixed = root.hasPrefix("s3:")
    let dot = isPrefixed ? "s3:" : ""
    let declaration = isPrefixed ? " xmlns:s3='u'" : ""
    let peer = try LoopbackPeer { _ in
      .answer(
        200, [:],
        "<\(root)\(declaration)><\(dot)Part><\(dot)PartNumber>1</\(dot)PartNumber><\(dot)ETag>\"a\"</\(dot)ETag>"
          + "<\(dot)Size>5</\(dot)Size></\(dot)Part></\(root)>")
    }
    let parts = try await TestBucket.make(peer.url).listParts(of: "u", TestFile([1]).object().address)
    #expect(parts == [1: ListedPart(size: 5, etag: "\"a\"", checksum: nil)])
  }

  /// All parts are sent again, and nothing is known of uploads that were forgotten.
  @Test(arguments: ["<Unknown><List/></Unknown>", "not XML", "", "<ListPartsResult><Part>"])
  func unreadableListCountsAsEmpty(_ body: String) async throws {
    let peer = try LoopbackPeer { _ in .answer(200, [:], body) }
    let bucket = try TestBucket.make(peer.url)
    let object = try TestFile([1]).object()
    #expect(try await bucket.listParts(of: "u", object.address) == [:])
    try await bucket.abortForgotten(object)
    #expect(peer.requests.map(\.method) == ["GET", "GET", "GET", "GET"])
  }

  /// AWS names the key in its answers with references of XML 1.1.
  @Test func understandsAnswersThatNameControlCharacters() async throws {
    let key = "<Bucket>documents</Bucket><Key>bell&#x7;.bin</Key>"
    let peer = try LoopbackPeer { request in
      request.method == "POST"
        ? .document("InitiateMultipartUploadResult", "\(key)<UploadId>u</UploadId>")
        : .document("ListPartsResult", "\(key)<IsTruncated>false</IsTruncated>")
    }
    let bucket = try TestBucket.make(peer.url)
    let object = try TestFile([1]).object(key: "bell\u{7}.bin")
    #expect(try await bucket.create(object).id == "u")
    #expect(try await bucket.listParts(of: "u", object.address) == [:])
    #expect(peer.requests.count == 2)
  }

  @Test func retriesGarbledList() async throws {
    let whole = "<ListPartsResult><MaxParts>1</MaxParts></ListPartsResult>"
    let count = Mutex(0)
    let peer = try LoopbackPeer { _ in
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      return .answer(200, [:], isFirst ? String(whole.dropLast(9)) : whole)
    }
    #expect(try await TestBucket.make(peer.url).listParts(of: "u", TestFile([1]).object().address) == [:])
    #expect(peer.requests.count == 2)
  }

  /// A list of objects, as from a server that does not look at the query, is no list of uploads.
  @Test func objectListIsNotUploadList() throws {
    let body = "<ListBucketResult><Prefix/><KeyMarker/><IsTruncated>false</IsTruncated></ListBucketResult>"
    let root = try #require(XMLElement.parse(Array(body.utf8)))
    for document in S3Document.allCases { #expect(!document.isRoot(root)) }
  }

  @Test(arguments: ["NoSuchUpload", "NoSuchKey"]) func unknownUploadHasNoParts(_ code: String) async throws {
    let peer = try LoopbackPeer { _ in .answer(404, [:], "<Error><Code>\(code)</Code></Error>") }
    #expect(try await TestBucket.make(peer.url).listParts(of: "u", TestFile([1]).object().address) == nil)
  }

  @Test func listing503IsUnavailable() async throws {
    let peer = try LoopbackPeer { _ in .answer(503) }
    let bucket = try TestBucket.make(peer.url)
    let object = try TestFile([1]).object()
    await #expect(throws: S3Refusal.self) { try await bucket.listParts(of: "u", object.address) }
    await #expect(throws: S3Refusal.self) { try await bucket.abortForgotten(object.address, since: object.since) }
    await #expect(throws: S3Refusal.self) { try await bucket.abort("u", of: object.address) }
  }

  /// Keys that go on after ours, uploads older than the job, and pages.
  @Test(arguments: [true, false]) func abortsOnlyMatchingRecentUploads(_ isEncoded: Bool) async throws {
    @Sendable func upload(_ key: String, _ id: String, _ initiated: String) -> String {
      let key = isEncoded ? key.replacing(" ", with: "+").replacing("ü", with: "%C3%BC") : key
      return "<Upload><Key>\(key)</Key><UploadId>\(id)</UploadId><Initiated>\(initiated)</Initiated></Upload>"
    }
    let peer = try LoopbackPeer { request in
      if request.method == "DELETE" { return .answer(204) }
      let isSecond = request.target.contains("upload-id-marker=two")
      let uploads =
        isSecond
        ? upload("a ü", "three", "2026-11-21T10:00:01.000Z") + upload("a ü/b", "four", "2026-11-21T10:00:01.000Z")
        : upload("a ü", "one", "2026-11-21T09:44:59.000Z") + upload("a ü", "two", "2026-11-21T09:45:00.000Z")
      return .document("ListMultipartUploadsResult", "<IsTruncated>\(!isSecond)</IsTruncated>\(uploads)")
    }
    var object = try TestFile([1]).object(key: "a ü")
    object.since = Timestamp(year: 2026, month: 11, day: 21, hour: 10)
    try await TestBucket.make(peer.url).abortForgotten(object.address, since: object.since)
    let aborted = peer.requests.filter { $0.method == "DELETE" }.map(\.target)
    #expect(aborted == ["/documents/a%20%C3%BC?uploadId=two", "/documents/a%20%C3%BC?uploadId=three"])
    let lists = peer.requests.filter { $0.method == "GET" }.map(\.target)
    #expect(lists.count == 2)
    #expect(lists[0] == "/documents?encoding-type=url&prefix=a%20%C3%BC&uploads=")
    #expect(lists[1].contains("key-marker=a%20%C3%BC&"))
  }

  /// A storage that ignores the prefix lists the uploads of other programs too.
  @Test func abortsOnlyUploadsOfGroup() async throws {
    let peer = try LoopbackPeer { request in
      if request.method == "DELETE" { return .answer(204) }
      let keys = ["runs/7", "runs/7/a", "other/b"]
      let uploads = keys.map { "<Upload><Key>\($0)</Key><UploadId>u</UploadId></Upload>" }
      return .document("ListMultipartUploadsResult", uploads.joined())
    }
    try await TestBucket.make(peer.url).abortForgotten(TestFile([1]).object(key: "runs/7/").address)
    #expect(peer.requests.filter { $0.method == "DELETE" }.map(\.target) == ["/documents/runs/7/a?uploadId=u"])
  }

  /// The clock may have been hours ahead when the job was admitted. Nobody else uploads under such a key.
  @Test func abortsOlderUploadsUnderJobKey() async throws {
    let id = TestFile.newID()
    let peer = try LoopbackPeer { request in
      if request.method == "DELETE" { return .answer(204) }
      return .document(
        "ListMultipartUploadsResult",
        "<Upload><Key>\(id)/a</Key><UploadId>one</UploadId>"
          + "<Initiated>2026-11-21T07:00:00.000Z</Initiated></Upload>")
    }
    var object = try TestFile([1]).object(key: "\(id)/a", id: id)
    object.since = Timestamp(year: 2026, month: 11, day: 21, hour: 10)
    try await TestBucket.make(peer.url).abortForgotten(object)
    #expect(peer.requests.map(\.method) == ["GET", "DELETE"])
  }

  @Test(arguments: [404, 403, 501, 405]) func ignoresRefusedAbort(_ status: Int) async throws {
    let peer = try LoopbackPeer { _ in .answer(status) }
    try await TestBucket.make(peer.url).abort("u", of: TestFile([1]).object().address)
    #expect(peer.requests.count == 1)
  }
}
