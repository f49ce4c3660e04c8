import ChildProcesses
import Foundation
import Testing

/// Uploads in parts as S3 has them, asked for by curl.
@Suite(.slot) struct PartsTests {
  private static let least = 5 << 20

  private func create(_ sandbox: RunningSandbox, _ headers: [String] = []) async throws -> String {
    let answer = try await sandbox.signed("/documents/a?uploads=", ["-X", "POST"] + headers.flatMap { ["-H", $0] })
    #expect(answer.status == 200)
    return try #require(answer.body.firstMatch(of: /<UploadId>([^<]+)</)).1.description
  }

  /// Sends a part of so many equal bytes and gives its ETag.
  private func part(
    _ sandbox: RunningSandbox, _ id: String, _ number: Int, _ count: Int, _ headers: [String] = []
  ) async throws -> String {
    let file = try sandbox.file(Data(repeating: UInt8(64 + number), count: count))
    let answer = try await sandbox.signed(
      "/documents/a?partNumber=\(number)&uploadId=\(id)", ["-T", file] + headers.flatMap { ["-H", $0] })
    #expect(answer.status == 200, "\(answer.body)")
    return try #require(answer.headers["etag"])
  }

  private func complete(
    _ sandbox: RunningSandbox, _ id: String, _ parts: [(Int, String)], _ more: [String] = []
  ) async throws -> CurlAnswer {
    let list = parts.map { "<Part><PartNumber>\($0.0)</PartNumber><ETag>\($0.1)</ETag></Part>" }.joined()
    return try await sandbox.signed(
      "/documents/a?uploadId=\(id)",
      ["-d", "<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>"] + more)
  }

  @Test func partsBecomeAnObject() async throws {
    try await withSandbox { sandbox async throws in
      let id = try await create(sandbox, ["x-amz-meta-a: b", "Content-Type: text/plain"])
      // out of order, and one of them twice: the last one counts
      let second = try await part(sandbox, id, 2, 10)
      _ = try await part(sandbox, id, 1, 7)
      let first = try await part(sandbox, id, 1, Self.least)
      let list = try await sandbox.signed("/documents/a?uploadId=\(id)")
      #expect(list.body.matches(of: /<PartNumber>/).count == 2)
      #expect(list.body.contains("<Size>\(Self.least)</Size>"))
      let done = try await complete(sandbox, id, [(1, first), (2, second)])
      #expect(done.status == 200, "\(done.body)")
      let object = try await sandbox.signed("/documents/a")
      let bytes = Data(repeating: 65, count: Self.least) + Data(repeating: 66, count: 10)
      #expect(object.bytes == bytes)
      #expect(object.headers["x-amz-meta-a"] == "b")
      #expect(object.headers["content-type"] == "text/plain")
      #expect(object.headers["etag"]?.hasSuffix("-2\"") == true)
      #expect(try await sandbox.signed("/documents/a?uploadId=\(id)").body.contains("<Code>NoSuchUpload</Code>"))
      let counts = try #require(try await sandbox.state()["parts"] as? [String: [String: Int]])
      #expect(counts == ["a": ["1": 2, "2": 1]])
    }
  }

  @Test func refusesInvalidComplete() async throws {
    try await withSandbox { sandbox async throws in
      let id = try await create(sandbox)
      let small = try await part(sandbox, id, 1, 10)
      let last = try await part(sandbox, id, 2, 10)
      func refusal(_ parts: [(Int, String)]) async throws -> String {
        let answer = try await complete(sandbox, id, parts)
        #expect(answer.status == 400)
        return String(answer.body.firstMatch(of: /<Code>(\w+)</)?.1 ?? "")
      }
      #expect(try await refusal([]) == "MalformedXML")
      #expect(try await refusal([(1, small), (2, last)]) == "EntityTooSmall")
      #expect(try await refusal([(2, last), (1, small)]) == "InvalidPartOrder")
      #expect(try await refusal([(1, last)]) == "InvalidPart")
      #expect(try await refusal([(3, small)]) == "InvalidPart")
      #expect(try await complete(sandbox, id, [(2, last)]).status == 200)
    }
  }

  @Test func checksumsUseUploadAlgorithm() async throws {
    try await withSandbox { sandbox async throws in
      let id = try await create(sandbox, ["x-amz-checksum-algorithm: CRC64NVME"])
      let etag = try await part(sandbox, id, 1, 10)
      let file = try sandbox.file(Data("AAAAAAAAAA".utf8))
      let path = "/documents/a?partNumber=2&uploadId=\(id)"
      let wrong = try await sandbox.signed(path, ["-T", file, "-H", "x-amz-checksum-crc64nvme: AAAAAAAAAAA="])
      #expect(wrong.body.contains("<Code>BadDigest</Code>"))
      let other = try await sandbox.signed(path, ["-T", file, "-H", "x-amz-checksum-crc32c: \(Self.crc32c)"])
      #expect(other.body.contains("<Code>InvalidRequest</Code>"))
      let done = try await complete(sandbox, id, [(1, etag)])
      #expect(done.body.contains("<ChecksumCRC64NVME>\(Self.crc64nvme)</ChecksumCRC64NVME>"), "\(done.body)")
      let head = try await sandbox.signed("/documents/a", ["-I", "-H", "x-amz-checksum-mode: ENABLED"])
      #expect(head.headers["x-amz-checksum-crc64nvme"] == Self.crc64nvme)
    }
  }

  /// Of ten times "A", reckoned bit by bit from the definitions.
  private static let crc32c = "1OZe+g=="
  private static let crc64nvme = "yw1GtfW12oA="

  @Test func completeKeepsConditionAndAbortForgets() async throws {
    try await withSandbox { sandbox async throws in
      _ = try await sandbox.put("/documents/a", "there")
      let id = try await create(sandbox)
      let etag = try await part(sandbox, id, 1, 10)
      let once = ["-H", "If-None-Match: *"]
      #expect(try await complete(sandbox, id, [(1, etag)], once).status == 412)
      let list = try await sandbox.signed("/documents?prefix=a&uploads=")
      #expect(list.body.contains("<UploadId>\(id)</UploadId>"))
      #expect(try await sandbox.signed("/documents/b?uploadId=\(id)", ["-X", "DELETE"]).status == 404)
      #expect(try await sandbox.signed("/documents/a?uploadId=\(id)", ["-X", "DELETE"]).status == 204)
      #expect(try await sandbox.signed("/documents/a?uploadId=\(id)", ["-X", "DELETE"]).status == 404)
      #expect(try await sandbox.signed("/documents?uploads=").body.contains("<UploadId>") == false)
      #expect(try await sandbox.signed("/documents/a").body == "there")
    }
  }

  @Test(arguments: ["..", "../objects", "x", ""]) func rejectsUnknownUploadIDs(_ id: String) async throws {
    try await withSandbox { sandbox async throws in
      let answer = try await sandbox.signed("/documents/a?uploadId=\(id.replacing("/", with: "%2F"))")
      #expect(answer.body.contains("<Code>NoSuchUpload</Code>"))
    }
  }
}
