import Foundation
import HTTPTransfer
import Jobs
import OpenSSL
import Testing

@testable import Credentials

@Suite struct SigV4SignerTests {
  private struct Fixture: Decodable {
    struct Case: Decodable {
      var method, host, key, body, region, time, authorization: String
      var query, headers: [[String]]
      var token: String?
    }
    var accessKey, secret: String
    var cases: [Case]
  }

  @Test func signsLikeBotocore() throws {
    let url = try #require(Bundle.module.url(forResource: "Fixtures/signatures", withExtension: "json"))
    let fixture = try JSONDecoder().decode(Fixture.self, from: Data(contentsOf: url))
    #expect(fixture.cases.count > 60)
    for expected in fixture.cases {
      let signer = SigV4Signer(region: expected.region)
      let headers = signer.headers(
        method: expected.method, host: expected.host, path: ("/documents/" + PercentEncoding.path(expected.key))[...],
        query: expected.query.map { ($0[0], $0[1]) }, headers: expected.headers.map { HTTPHeader($0[0], $0[1]) },
        payloadHash: Hex.text(SHA256.hash(data: Array(expected.body.utf8))),
        key: SigningKey(accessKey: fixture.accessKey, secret: fixture.secret, sessionToken: expected.token),
        time: try #require(Self.time(expected.time)))
      #expect(headers.last?.value == expected.authorization, "\(expected.method) \(expected.key)")
    }
  }

  private static func time(_ text: String) -> Timestamp? {
    let digits = text.filter(\.isNumber).compactMap(\.wholeNumberValue)
    guard digits.count == 14 else { return nil }
    func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
    return Timestamp(
      year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10), minute: number(10..<12),
      second: number(12..<14))
  }

  @Test func derivesKeyPerDayAndSecret() {
    let signer = SigV4Signer(region: "us-east-1")
    let request = CanonicalRequest(
      method: "GET", path: "/", query: [], headers: [HTTPHeader("host", "h")], payloadHash: "UNSIGNED-PAYLOAD")
    func fresh(_ secret: String, _ day: Int) -> String {
      SigV4Signer(region: "us-east-1").signature(
        request, key: SigningKey(accessKey: "A", secret: secret), time: Timestamp(year: 2026, month: 1, day: day))
    }
    for (secret, day) in [("one", 1), ("one", 2), ("two", 2), ("two", 2), ("one", 1)] {
      let time = Timestamp(year: 2026, month: 1, day: day)
      #expect(
        signer.signature(request, key: SigningKey(accessKey: "A", secret: secret), time: time) == fresh(secret, day))
    }
  }

  /// A server that hashes values as they came, only trimmed, as Garage up to 2.3 does, finds the same signature.
  @Test(arguments: [
    ("a  b", "a b"), (" a ", "a"), ("\ta\t\tb\t", "a b"), ("a \t b   c", "a b c"), ("\"a  b\"", "\"a b\""), ("  ", ""),
    ("", ""), ("a b", "a b"),
  ])
  func sendsValuesAsSigned(value: String, sent: String) throws {
    let time = Timestamp(year: 2026, month: 11, day: 24)
    let signer = SigV4Signer(region: "r")
    let key = SigningKey(accessKey: "A", secret: "s")
    let names = ["Content-Type", "Cache-Control", "x-amz-meta-note"]
    let headers = signer.headers(
      method: "PUT", host: "h", path: "/b/k", headers: names.map { HTTPHeader($0, value) }, payloadHash: "x", key: key,
      time: time)
    for name in names { #expect(headers.first { $0.isNamed(name) }?.value == sent) }
    let asTheyCame = headers.dropLast().map { HTTPHeader($0.name.lowercased(), $0.value) } + [HTTPHeader("host", "h")]
    let canonical =
      ["PUT", "/b/k", ""] + asTheyCame.sorted { $0.name < $1.name }.map { "\($0.name):\($0.value)" }
      + ["", asTheyCame.map(\.name).sorted().joined(separator: ";"), "x"]
    let request = CanonicalRequest(
      method: "PUT", path: "/b/k", query: [], headers: asTheyCame, payloadHash: "x")
    #expect(String(decoding: request.bytes, as: UTF8.self) == canonical.joined(separator: "\n"))
    #expect(headers.last?.value == signer.authorization(request, key: key, stamp: time.iso8601Basic))
  }

  /// The text of a second is kept for the next signature, and for no other second.
  @Test func stampsEachSecond() {
    let signer = SigV4Signer(region: "r")
    for microseconds: Int64 in [
      0, 1, 999_999, 1_000_000, 1_999_999, 1, -1, -1_000_000, -1_000_001, 1_800_000_000_500_000,
    ] {
      let time = Timestamp(microseconds: microseconds)
      let headers = signer.headers(
        method: "PUT", host: "h", path: "/b/k", headers: [], payloadHash: "x",
        key: SigningKey(accessKey: "A", secret: "s"), time: time)
      #expect(headers.first { $0.isNamed("x-amz-date") }?.value == time.iso8601Basic)
    }
  }

  @Test func sendsTheUserAgentUnsigned() throws {
    let headers = SigV4Signer(region: "r").headers(
      method: "PUT", host: "h", path: "/b/k", headers: [HTTPHeader("User-Agent", "waybill/1")], payloadHash: "x",
      key: SigningKey(accessKey: "A", secret: "s"), time: Timestamp(seconds: 0))
    #expect(headers.contains(HTTPHeader("User-Agent", "waybill/1")))
    #expect(try #require(headers.last).value.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date,"))
  }

  @Test func neverPrintsASecret() {
    let key = SigningKey(accessKey: "AKID", secret: "s3cr3t-value", sessionToken: "t0ken-value")
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped, "\([key])"] {
      #expect(!text.contains("s3cr3t") && !text.contains("t0ken"))
    }
  }
}

extension SigV4Signer {
  fileprivate func signature(_ request: CanonicalRequest, key: SigningKey, time: Timestamp) -> String {
    let value = authorization(request, key: key, stamp: time.iso8601Basic)
    return value.firstRange(of: "Signature=").map { String(value[$0.upperBound...]) } ?? ""
  }
}
