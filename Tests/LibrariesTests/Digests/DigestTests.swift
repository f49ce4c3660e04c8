import ChildProcesses
import Foundation
import OpenSSL
import Testing

/// Hashes and codes, held against Python's hashlib and hmac for every length around the edges of a block.
struct DigestTests {
  static let lengths = Array(0...130) + [1_000, 65_536, 1_000_003]

  static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) } }

  private static func lines(_ expression: String) async throws -> [String] {
    let script = """
      import base64, hashlib, hmac
      def make(n): return bytes(((i * 7 + (i >> 8)) & 255) for i in range(n))
      for n in \(lengths): print(\(expression))
      """
    return try await Command.require(["python3", "-c", script]).split(separator: "\n").map(String.init)
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(format: "%02x", $0) }.joined()
  }

  /// The keys are shorter than a block, as long, and longer.
  private static let codes: [(String, @Sendable ([UInt8]) -> String)] = [
    ("hashlib.sha256(make(n))", { @Sendable data in hex(SHA256.hash(data: data)) }),
    ("hashlib.md5(make(n))", { @Sendable data in hex(MD5.hash(data: data)) }),
    ("hmac.new(make(n), b'm', 'sha256')", { @Sendable data in hex(HMACSHA256(key: data).code(for: Array("m".utf8))) }),
    ("hmac.new(b'k', make(n), 'sha256')", { @Sendable data in hex(HMACSHA256(key: Array("k".utf8)).code(for: data)) }),
  ]

  @Test(arguments: codes) func matchesPython(_ expression: String, _ ours: @Sendable ([UInt8]) -> String) async throws {
    #expect(try await Self.lines(expression + ".hexdigest()") == Self.lengths.map { ours(Self.bytes($0)) })
  }

  @Test(arguments: [1, 3, 63, 64, 65, 1_000])
  func incrementalHashMatchesWhole(_ piece: Int) {
    let whole = Self.bytes(10_000)
    var (sha256, md5, code) = (SHA256(), MD5(), HMACSHA256(key: [1, 2, 3]))
    for start in stride(from: 0, to: whole.count, by: piece) {
      let bytes = Array(whole[start..<min(start + piece, whole.count)])
      sha256.update(data: bytes)
      md5.update(data: bytes)
      code.update(data: bytes)
    }
    #expect(sha256.finalize().elementsEqual(SHA256.hash(data: whole)))
    #expect(md5.finalize().elementsEqual(MD5.hash(data: whole)))
    #expect(code.finalize().elementsEqual(HMACSHA256(key: [1, 2, 3]).code(for: whole)))
  }

  @Test func copiedHashIsIndependent() {
    var first = SHA256()
    first.update(data: [1])
    var second = first
    second.update(data: [2])
    #expect(first.finalize().elementsEqual(SHA256.hash(data: [1])))
    #expect(first.finalize().elementsEqual(SHA256.hash(data: [1])))
    #expect(second.finalize().elementsEqual(SHA256.hash(data: [1, 2])))
  }
}
