import HTTPTransfer
import Testing

@Suite struct FailedAnswerTests {
  private func text(_ body: [UInt8], hiding mask: SecretMask = .none, isCut: Bool = false) -> String? {
    FailedAnswer.text(HTTPResponse(status: 422, body: body, bodyTruncated: isCut), hiding: mask)
  }

  @Test func keepsLinesAndEscapesControls() {
    #expect(text(Array("a\tb\r\n\u{1B}[2Jc\r\n".utf8)) == "a b\n\\x1b[2Jc\n")
    #expect(text([0x61, 0xFF, 0x00]) == "a\\xff\\x00")
    for blank in ["", " ", "\r\n\r\n"] { #expect(text(Array(blank.utf8)) == nil) }
  }

  @Test func keepsTwoKibibytes() {
    #expect(text(Array(String(repeating: "a", count: 5000).utf8)) == String(repeating: "a", count: 2048))
  }

  @Test func truncationLeaksNoPartialSecret() throws {
    let secret = "t0ken-of-ours"
    for place in 2030...2050 {
      let body = Array((String(repeating: "-", count: place) + secret + "-and-more").utf8)
      let kept = try #require(text(body, hiding: SecretMask([secret])))
      #expect(!kept.contains("t0k") && kept.count <= 2048)
    }
    let begun = try #require(text(Array("Bearer t0ken-of".utf8), hiding: SecretMask([secret]), isCut: true))
    #expect(begun == "Bearer [secret]")
  }
}
