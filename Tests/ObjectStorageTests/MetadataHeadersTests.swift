import HTTPTransfer
import Jobs
import Testing

@testable import ObjectStorage

@Suite struct MetadataHeadersTests {
  private let id = JobID(high: 1, low: 2)

  private static func headers(_ metadata: [String: String], id: JobID, sha256: String? = nil) -> [HTTPHeader] {
    var headers: [HTTPHeader] = []
    MetadataHeaders.add(metadata, id: id, sha256: sha256, to: &headers)
    return headers
  }

  @Test func objectCarriesJobIDAndSHA256() {
    let own = HTTPHeader("x-amz-meta-waybill-id", "00000000-0000-0001-0000-000000000002")
    #expect(Self.headers([:], id: id) == [own])
    #expect(Self.headers([:], id: id, sha256: "0f") == [own, HTTPHeader("x-amz-meta-waybill-sha256", "0f")])
  }

  @Test func namesUseProxySafeCharacters() {
    let metadata = [
      "Invoice-No": "1", "a b": "2", "ü": "3", "new\r\nline": "4", "under_score": "5", "a.dot": "6", "plain-1": "7",
      "100%": "8",
    ]
    #expect(
      Self.headers(metadata, id: id).dropFirst().map(\.name) == [
        "x-amz-meta-10025", "x-amz-meta-a-b", "x-amz-meta-a-dot", "x-amz-meta-c3bc", "x-amz-meta-invoice-no",
        "x-amz-meta-new0d0aline", "x-amz-meta-plain-1", "x-amz-meta-under-score",
      ])
  }

  @Test func collidingNamesJoinValuesInOrder() {
    #expect(
      Self.headers(["case_id": "c", "case-id": "a", "case.id": "b", "x": "y"], id: id).dropFirst()
        == [HTTPHeader("x-amz-meta-case-id", "a, b, c"), HTTPHeader("x-amz-meta-x", "y")])
  }

  @Test func metadataCannotSetJobID() {
    #expect(Self.headers(["waybill-id": "x", "Waybill-ID": "y", "waybill-x": "z"], id: id).count == 1)
  }

  @Test(arguments: [
    ("plain", "plain"), ("a b", "a b"), ("", ""), ("Grüße", "=?UTF-8?B?R3LDvMOfZQ==?="),
    ("a\r\nx-evil: 1", "=?UTF-8?B?YQ0KeC1ldmlsOiAx?="), (" lead", "=?UTF-8?B?IGxlYWQ=?="),
    ("trail ", "=?UTF-8?B?dHJhaWwg?="), ("two  blanks", "=?UTF-8?B?dHdvICBibGFua3M=?="),
    ("=?UTF-8?B?eA==?=", "=?UTF-8?B?PT9VVEYtOD9CP2VBPT0/PQ==?="),
  ]) func valuesAreASCIIOrEncodedWords(_ value: String, _ header: String) {
    #expect(MetadataHeaders.headerValue(value) == header)
  }

  @Test func encodedWordsAreShortAndWhole() {
    let words = MetadataHeaders.headerValue(String(repeating: "🧾", count: 40)).split(separator: " ")
    #expect(words.count == 4)
    #expect(words.allSatisfy { $0.count <= 75 && $0.hasPrefix("=?UTF-8?B?8J") && $0.hasSuffix("?=") })
  }
}
