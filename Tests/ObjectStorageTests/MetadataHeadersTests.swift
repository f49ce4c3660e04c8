import HTTPTransfer
import Jobs
import Testing

@testable import ObjectStorage

@Suite struct MetadataHeadersTests {
  private let id = JobID(high: 1, low: 2)

  private static func headers(_ metadata: [String: String], id: JobID) -> [HTTPHeader] {
    var headers: [HTTPHeader] = []
    MetadataHeaders.add(metadata, id: id, to: &headers)
    return headers
  }

  @Test func everyObjectCarriesItsJobsID() {
    #expect(
      Self.headers([:], id: id)
        == [HTTPHeader("x-amz-meta-waybill-id", "00000000-0000-0001-0000-000000000002")])
  }

  @Test func namesAreLoweredAndMadeTokens() {
    let headers = Self.headers(
      ["Invoice-No": "1", "a b": "2", "ü": "3", "new\r\nline": "4", "under_score": "5", "": "6"], id: id)
    #expect(
      Set(headers.dropFirst().map(\.name)) == [
        "x-amz-meta-invoice-no", "x-amz-meta-a%20b", "x-amz-meta-%C3%BC", "x-amz-meta-new%0D%0Aline",
        "x-amz-meta-under_score", "x-amz-meta-",
      ])
  }

  @Test func namesThatDifferOnlyInCaseBecomeOne() {
    #expect(
      Self.headers(["Kind": "a", "kind": "b"], id: id).dropFirst() == [HTTPHeader("x-amz-meta-kind", "a, b")])
  }

  @Test func nobodyElseSetsTheJobsID() {
    #expect(Self.headers(["waybill-id": "x", "Waybill-ID": "y", "waybill-x": "z"], id: id).count == 1)
  }

  @Test(arguments: [
    ("plain", "plain"), ("a b", "a b"), ("", ""), ("Grüße", "=?UTF-8?B?R3LDvMOfZQ==?="),
    ("a\r\nx-evil: 1", "=?UTF-8?B?YQ0KeC1ldmlsOiAx?="), (" lead", "=?UTF-8?B?IGxlYWQ=?="),
    ("trail ", "=?UTF-8?B?dHJhaWwg?="), ("two  blanks", "=?UTF-8?B?dHdvICBibGFua3M=?="),
    ("=?UTF-8?B?eA==?=", "=?UTF-8?B?PT9VVEYtOD9CP2VBPT0/PQ==?="),
  ]) func valuesArePrintableASCIIOrEncodedWords(_ value: String, _ header: String) {
    #expect(MetadataHeaders.headerValue(value) == header)
  }

  @Test func encodedWordsAreShortAndHoldWholeCharacters() {
    let words = MetadataHeaders.headerValue(String(repeating: "🧾", count: 40)).split(separator: " ")
    #expect(words.count == 4)
    #expect(words.allSatisfy { $0.count <= 75 && $0.hasPrefix("=?UTF-8?B?8J") && $0.hasSuffix("?=") })
  }
}
