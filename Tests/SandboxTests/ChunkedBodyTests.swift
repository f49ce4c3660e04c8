import ChildProcesses
import Foundation
import Testing

/// Bodies in chunks with a checksum behind them, sent by curl byte by byte as written here.
@Suite(.slot) struct ChunkedBodyTests {
  /// CRC-32C of "123456789", by the catalogue of CRC algorithms.
  private static let sum = "4waSgw=="
  private static let trailer = "x-amz-checksum-crc32c"

  private func put(
    _ sandbox: RunningSandbox, _ body: String, decoded: String? = "9", trailer: String? = Self.trailer,
    path: String = "/documents/a", _ more: [String] = []
  ) async throws -> CurlAnswer {
    var words = ["-H", "Content-Encoding: aws-chunked"]
    if let decoded { words += ["-H", "x-amz-decoded-content-length: \(decoded)"] }
    if let trailer { words += ["-H", "x-amz-trailer: \(trailer)"] }
    return try await sandbox.put(path, body, hash: "STREAMING-UNSIGNED-PAYLOAD-TRAILER", words + more)
  }

  @Test func storesBytesWithoutFrame() async throws {
    try await withSandbox { sandbox async throws in
      let answer = try await put(sandbox, "9\r\n123456789\r\n0\r\n\(Self.trailer):\(Self.sum)\r\n\r\n")
      #expect(answer.status == 200, "\(answer.body)")
      #expect(answer.headers[Self.trailer] == Self.sum)
      #expect(try sandbox.object("a") == Data("123456789".utf8))
      let there = try await sandbox.signed("/documents/a", ["-I"])
      #expect(there.headers["content-encoding"] == nil)
      #expect(there.headers["content-length"] == "9")
    }
  }

  @Test func emptyObjectIsOneEmptyChunk() async throws {
    try await withSandbox { sandbox async throws in
      let answer = try await put(sandbox, "0\r\n\(Self.trailer):AAAAAA==\r\n\r\n", decoded: "0")
      #expect(answer.status == 200, "\(answer.body)")
      #expect(try sandbox.object("a") == Data())
    }
  }

  @Test(arguments: [
    ("another checksum", "9\r\n123456789\r\n0\r\n\(trailer):AAAAAA==\r\n\r\n", "BadDigest"),
    ("no checksum", "9\r\n123456789\r\n0\r\n\r\n", "InvalidRequest"),
    ("another name", "9\r\n123456789\r\n0\r\nx-amz-checksum-sha256:\(sum)\r\n\r\n", "MalformedTrailerError"),
    ("no end", "9\r\n123456789\r\n0\r\n\(trailer):\(sum)\r\n", "IncompleteBody"),
    ("fewer bytes", "8\r\n12345678\r\n0\r\n\(trailer):\(sum)\r\n\r\n", "IncompleteBody"),
    ("a long chunk", "8\r\n123456789\r\n0\r\n\(trailer):\(sum)\r\n\r\n", "InvalidRequest"),
    ("no frame", "hello world\r\n", "InvalidRequest"),
    ("more behind it", "9\r\n123456789\r\n0\r\n\(trailer):\(sum)\r\n\r\nx", "InvalidRequest"),
    ("a short chunk", "4\r\n1234\r\n5\r\n56789\r\n0\r\n\(trailer):\(sum)\r\n\r\n", "InvalidChunkSizeError"),
  ])
  func refusesMalformedBodies(_ name: String, _ body: String, _ code: String) async throws {
    try await withSandbox { sandbox async throws in
      let answer = try await put(sandbox, body)
      #expect(answer.body.contains("<Code>\(code)</Code>"), "\(name): \(answer.status) \(answer.body)")
      #expect(try sandbox.objects() == [], "\(name)")
    }
  }

  @Test func refusesUnannouncedTrailers() async throws {
    try await withSandbox { sandbox async throws in
      let body = "9\r\n123456789\r\n0\r\n\(Self.trailer):\(Self.sum)\r\n\r\n"
      #expect(try await put(sandbox, body, decoded: nil).status == 411)
      #expect(try await put(sandbox, body, trailer: nil).status == 400)
      #expect(try await put(sandbox, body, trailer: "x-amz-meta-a").status == 400)
      #expect(try await put(sandbox, body, ["-H", "\(Self.trailer): \(Self.sum)"]).status == 400)
      #expect(try sandbox.objects() == [])
    }
  }
}
