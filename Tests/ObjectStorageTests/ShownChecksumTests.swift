import Settings
import Testing

@testable import ObjectStorage

/// The checksum of an object in parts, as storages show it: over all bytes, or over the parts' checksums, with their number or without.
struct ShownChecksumTests {
  private static func sums(_ algorithm: ChecksumAlgorithm, _ texts: [String]) -> [Sums] {
    texts.map { text in
      var running = RunningSums(algorithm, isPart: true)
      running.update(Array(text.utf8))
      return running.finish()
    }
  }

  /// The checksum of the parts' checksums, without their number.
  private static func ofSums(_ parts: [Sums]) -> String? {
    var running = RunningSums(parts[0].algorithm)
    for part in parts { running.update(part.value ?? []) }
    return running.finish().base64
  }

  @Test(arguments: [ChecksumAlgorithm.sha256, .crc32c, .crc64nvme], [["one"], ["one", "two"]])
  func recognizesEachForm(_ algorithm: ChecksumAlgorithm, _ texts: [String]) throws {
    let parts = Self.sums(algorithm, texts)
    let object = ObjectSums(algorithm: algorithm, parts: parts)
    let whole = try #require(Self.sums(algorithm, [texts.joined()])[0].base64)
    let ofSums = try #require(Self.ofSums(parts))
    for shown in ["\(ofSums)-\(texts.count)", ofSums] + (algorithm.isCRC || texts.count == 1 ? [whole] : []) {
      #expect(object.fit(shown), "\(shown)")
      #expect(object.isProven(by: shown), "\(shown)")
    }
    let other = try #require(Self.sums(algorithm, ["other"])[0].base64)
    #expect(!object.fit("\(other)-\(texts.count)"))
    // SHA-256 of several parts gives no sum of all bytes to compare with.
    #expect(object.fit(other) == (algorithm == .sha256 && texts.count > 1))
    #expect(!object.isProven(by: other))
    #expect(object.fit(nil) && !object.isProven(by: nil))
  }
}
