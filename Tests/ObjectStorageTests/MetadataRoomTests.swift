import HTTPTransfer
import Jobs
import Testing

@testable import ObjectStorage

@Suite struct MetadataRoomTests {
  private static let facts = KeyFacts(
    spool: "documents", id: JobID(high: 1, low: 2), name: FileName("a.pdf"), job: JobNumber(rawValue: 1), host: "h",
    path: [], time: Timestamp(seconds: 0), metadata: ["case": String(repeating: "c", count: 100)])

  private func fitting(_ lengths: [(String, Int)], in room: MetadataRoom = MetadataRoom()) -> [String] {
    let values = Dictionary(uniqueKeysWithValues: lengths.map { ($0.0, String(repeating: "x", count: $0.1)) })
    return room.fitting(lengths.map(\.0), of: values, Self.facts)
  }

  /// `x-amz-meta-waybill-id` and an id, `x-amz-meta-waybill-sha256` and a sum.
  private static let own = 21 + 36 + 25 + 64

  @Test func fillsLimitToLastByte() {
    let most = MetadataRoom.limit - Self.own - "x-amz-meta-a".count
    #expect(fitting([("a", most)]) == ["a"] && fitting([("a", most + 1)]).isEmpty)
    #expect(fitting([]).isEmpty)
  }

  @Test func oversizedValueLeavesRoomForLater() {
    #expect(fitting([("b", 1000), ("long", 3000), ("a", 800), ("c", 500), ("d", 10)]) == ["b", "a", "d"])
  }

  @Test func countsEncodedSize() {
    // Encoded words are longer than their text.
    let text = String(repeating: "ü", count: 760)
    #expect(MetadataRoom().fitting(["a"], of: ["a": text], Self.facts).isEmpty)
  }

  @Test func reservesRoomForStorageMetadata() throws {
    let most = MetadataRoom.limit - Self.own - "x-amz-meta-a".count
    let room = MetadataRoom(
      headers: ["X-Amz-Meta-Origin": "12345", "Cache-Control": "max-age=5"],
      templates: try ObjectTemplates(headers: ["x-amz-meta-case": "{metadata.case}"], tags: ["a": "b"], lock: nil))
    let left = most - "X-Amz-Meta-Origin12345".count - "x-amz-meta-case".count - 100
    #expect(fitting([("a", left)], in: room) == ["a"] && fitting([("a", left + 1)], in: room).isEmpty)
  }
}
