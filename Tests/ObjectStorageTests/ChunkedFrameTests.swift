import ChildProcesses
import HTTPTransfer
import Settings
import Testing

@testable import ObjectStorage

/// The frame of bytes with a checksum behind them, as a pure function.
struct ChunkedFrameTests {
  private static let name = "x-amz-checksum-crc32c"
  private static let chunk = Int(ChunkedFrame.chunk)

  private func frame(_ count: Int) -> ChunkedFrame {
    ChunkedFrame(count: Int64(count), trailer: Self.name, valueLength: 8)
  }

  @Test func shortBodyIsOneChunk() {
    let body = frame(5).bytes(of: Array("hello".utf8), value: "mnG7TA==")
    #expect(String(decoding: body, as: UTF8.self) == "5\r\nhello\r\n0\r\nx-amz-checksum-crc32c:mnG7TA==\r\n\r\n")
    #expect(frame(5).length == Int64(body.count))
  }

  @Test func emptyBodyIsLastChunkOnly() {
    let body = frame(0).bytes(of: [], value: "AAAAAA==")
    #expect(String(decoding: body, as: UTF8.self) == "0\r\nx-amz-checksum-crc32c:AAAAAA==\r\n\r\n")
    #expect(frame(0).length == Int64(body.count))
  }

  @Test(arguments: [
    0, 1, 15, 16, 8191, 8192, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 17,
  ])
  func knownLengthFramesEveryByteOnce(_ count: Int) throws {
    let bytes = TestFile.bytes(count)
    let frame = frame(count)
    let body = frame.bytes(of: bytes, value: "12345678")
    #expect(body.count == Int(frame.length))
    let decoded = try FrameDecoder(body)
    #expect(decoded.data == bytes)
    #expect(decoded.trailers == [[Self.name, "12345678"]])
    #expect(decoded.chunks.dropLast().allSatisfy { $0 == Self.chunk })
    #expect(decoded.chunks.count == (count + Self.chunk - 1) / Self.chunk)
  }

  /// Whatever portions it is asked for, the same bytes come.
  @Test(arguments: Seeds.many(1...20)) func anyPortionSizeGivesSameBytes(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let algorithm: ChecksumAlgorithm = Bool.random(using: &random) ? .crc32c : .crc64nvme
    let bytes = TestFile.bytes(Int.random(in: 0...(2 * Self.chunk + 9), using: &random))
    let summed = SummedFrame(count: Int64(bytes.count), RunningSums(algorithm))
    // begun and left, as when a connection breaks
    summed.begin()
    let first = bytes.prefix(7)
    unsafe summed.add(first.span.bytes)
    summed.begin()
    var body: [UInt8] = []
    while Int64(body.count) < summed.length {
      let portion = Int.random(in: 1...70_000, using: &random)
      switch summed.piece(at: Int64(body.count)) {
      case .frame(let piece):
        #expect(!piece.isEmpty)
        body += piece.prefix(portion)
      case .file(let offset, let count):
        let piece = bytes[Int(offset)..<Int(offset) + min(portion, Int(count))]
        #expect(!piece.isEmpty)
        unsafe summed.add(piece.span.bytes)
        body += piece
      }
    }
    #expect(body.count == Int(summed.length))
    let decoded = try FrameDecoder(body)
    #expect(decoded.data == bytes)
    var sums = RunningSums(algorithm)
    sums.update(bytes)
    let value = try #require(sums.finish().base64)
    #expect(decoded.trailers == [[algorithm.header, value]])
    #expect(summed.sums?.base64 == value)
    #expect(value.utf8.count == algorithm.valueLength)
  }

  @Test func checksumNeedsAllBytes() {
    let frame = SummedFrame(count: 3, RunningSums(.crc32c))
    frame.begin()
    let bytes: [UInt8] = [1, 2, 3]
    let (first, last) = (bytes.prefix(2), bytes.suffix(1))
    unsafe frame.add(first.span.bytes)
    #expect(frame.sums == nil)
    unsafe frame.add(last.span.bytes)
    #expect(frame.sums?.count == 3)
  }

  @Test(arguments: ChecksumAlgorithm.allCases) func checksumLengthMatchesAlgorithm(_ algorithm: ChecksumAlgorithm) {
    #expect(RunningSums(algorithm).finish().base64?.utf8.count ?? 0 == algorithm.valueLength)
  }

  /// AWS's own hosts are known, and nothing that only looks like them.
  @Test(arguments: [
    ("https://s3.amazonaws.com", true), ("https://s3.eu-central-1.amazonaws.com", true),
    ("https://s3.dualstack.eu-west-1.amazonaws.com", true), ("https://s3-fips.us-east-1.amazonaws.com", true),
    ("https://s3-accelerate.amazonaws.com", true), ("https://s3.eusc-de-east-1.amazonaws.eu", true),
    ("https://s3.cn-north-1.amazonaws.com.cn", true),
    ("https://s3.amazonaws.com:8443", true), ("http://s3.amazonaws.com", false), ("https://amazonaws.com", false),
    ("https://s3.amazonaws.com.example.org", false), ("https://s3amazonaws.com", false),
    ("https://s3.example.org", false), ("https://127.0.0.1:9000", false), ("https://lambda.amazonaws.com", false),
  ])
  func recognizesAWSHosts(_ url: String, _ isAWS: Bool) throws {
    let endpoint = try S3Endpoint(url)
    #expect(endpoint.isAWS == isAWS)
    func sends(
      _ trailer: ChecksumTrailer, _ checksum: ChecksumAlgorithm = .crc64nvme, _ headers: [String: String] = [:]
    )
      -> Bool
    {
      StorageSettings(url) {
        $0.headers = headers
        $0.checksum = checksum
        $0.checksumTrailer = trailer
      }.sendsTrailers(to: endpoint)
    }
    #expect(sends(.auto) == isAWS)
    #expect(sends(.on))
    #expect(!sends(.off))
    #expect(!sends(.on, .sha256) && !sends(.on, .none))
    #expect(!sends(.on, .crc32c, ["content-encoding": "gzip"]))
  }
}
