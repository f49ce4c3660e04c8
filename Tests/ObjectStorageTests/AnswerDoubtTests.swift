import ChildProcesses
import HTTPTransfer
import Jobs
import Settings
import Testing

@testable import ObjectStorage

@Suite(.aside) struct AnswerDoubtTests {
  private static let statuses = Array(200..<300)
  private static let types: [String?] = [nil, "application/xml", "text/html; charset=utf-8", "text/plain"]
  private static let bodies = [
    "", " ", "\r\n", "ok", "<html><body>Welcome</body></html>", "{\"ok\": true}", "<Other/>",
    "<CompleteMultipartUploadResult",
    "<multistatus xmlns=\"DAV:\"/>",
  ]
  private static let strong = [["\"e\""], ["\"5f-18c2\""], ["\"d41d8cd98f00b204e9800998ecf8427e-2\""]]
  private static let others: [[String]] = [
    [], [""], ["\"\""], ["e"], ["W/\"5f-18c2\""], ["w/\"e\""], ["\"e"], ["e\""], ["\""], ["\"a\"b\""], ["\"a b\""],
    ["\"a\u{7F}\""], ["\"\(String(repeating: "e", count: 1025))\""], ["\"e\"", "\"e\""], ["\"e\"", "W/\"e\""],
  ]

  private func response(
    _ status: Int, _ body: String, _ etags: [String] = [], type: String? = nil, sent: Int64 = 0, isWhole: Bool = true
  ) -> HTTPResponse {
    let types = type.map { [HTTPHeader("Content-Type", $0)] } ?? []
    return HTTPResponse(
      status: status, headers: HTTPHeaders(types + etags.map { HTTPHeader("etag", $0) }), body: Array(body.utf8),
      bodyTruncated: !isWhole, bytesSent: sent)
  }

  @Test(arguments: [Int64(0), 1, 20_000_000])
  func onlyOneAnswerFormProvesPut(_ count: Int64) {
    var proofs = 0
    for status in Self.statuses {
      for body in Self.bodies {
        for type in Self.types {
          for etags in Self.strong + Self.others {
            for sent in Set([0, count / 2, max(0, count - 1), count]) {
              let response = response(status, body, etags, type: type, sent: sent)
              let isProof = S3Refusal.Answer.stored(bytes: count).doubt(in: response) == nil
              if isProof { proofs += 1 }
              #expect(
                isProof == (status == 200 && body == "" && Self.strong.contains(etags) && sent == count),
                "\(status) \(body) \(etags) \(sent) of \(count)")
            }
          }
        }
      }
    }
    #expect(proofs == Self.strong.count * Self.types.count, "each strong ETag, whatever type is said of no body")
  }

  @Test func statusAndBodyProveOtherAnswers() {
    for status in Self.statuses {
      for body in Self.bodies + [
        "<CompleteMultipartUploadResult/>", " \n<CompleteMultipartUploadResult><ETag/></CompleteMultipartUploadResult>",
      ] {
        for type in Self.types {
          let response = response(status, body, type: type)
          #expect((S3Refusal.Answer.shown.doubt(in: response) == nil) == (status == 200))
          #expect((S3Refusal.Answer.slice.doubt(in: response) == nil) == (status == 200 || status == 206))
          #expect((S3Refusal.Answer.nothing.doubt(in: response) == nil) == ([200, 204].contains(status) && body == ""))
          let isDocument =
            status == 200 && body.contains("<CompleteMultipartUploadResult") && body != "<CompleteMultipartUploadResult"
          #expect((S3Refusal.Answer.document(.completed).doubt(in: response) == nil) == isDocument, "\(status) \(body)")
        }
      }
    }
  }

  /// A document that came garbled or in part is tried again; what never was one is a fault of the destination.
  @Test func onlyGarbledDocumentsAreTransient() throws {
    let cases: [(HTTPResponse, Failure.Kind)] = [
      (response(200, "<CompleteMultipartUploadResult"), .transient), (response(200, "<Other/>"), .transient),
      (response(200, "  ", isWhole: false), .transient), (response(200, ""), .destination),
      (response(200, " \n"), .destination), (response(204, ""), .destination),
      (response(201, "<CompleteMultipartUploadResult/>"), .destination),
      (response(200, "<html>", type: "text/html"), .destination), (response(200, " <!DOCTYPE HTML>"), .destination),
    ]
    for (response, kind) in cases {
      let failure = try failure(response, .document(.completed))
      #expect(failure.kind == kind, "\(response)")
      #expect(failure.mayHaveActed && failure.status == response.status)
      #expect(failure.words.contains("answers like a web server, not like an S3 storage"))
    }
  }

  private func failure(_ response: HTTPResponse, _ expected: S3Refusal.Answer) throws -> Failure {
    try #require(
      S3Refusal.failure(of: response, expecting: expected, StorageSettings("http://h"), now: Timestamp(seconds: 0)))
  }

  @Test func wordsExplainDoubtfulAnswer() throws {
    func words(_ response: HTTPResponse, bytes: Int64 = 0) throws -> String {
      try failure(response, .stored(bytes: bytes)).words
    }
    let server = "answers like a web server, not like an S3 storage"
    #expect(try words(response(204, "")) == "HTTP 204 to PUT: \(server) (S3 says 200)")
    #expect(try words(response(200, "ok")) == "HTTP 200 to PUT: \(server) (it has a body)")
    #expect(try words(response(200, "")) == "HTTP 200 to PUT: \(server) (it has no ETag)")
    #expect(
      try words(response(200, "", ["W/\"e\""])) == "HTTP 200 to PUT: \(server) (its ETag is weak or not in quotes)")
    #expect(
      try words(response(200, "", ["\"e\""]), bytes: 20)
        == "HTTP 200 to PUT: \(server) (it came when 0 of 20 bytes had been sent)")
  }
}
