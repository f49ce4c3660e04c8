import Failures
import Testing

@Suite struct FailedAnswerTests {
  @Test func linesAreKeptAndControlsAreEscaped() {
    #expect(FailedAnswer.text(Array("a\tb\r\n\u{1B}[2Jc\r\n".utf8)) == "a b\n\\x1b[2Jc\n")
    #expect(FailedAnswer.text([0x61, 0xFF, 0x00]) == "a\\xff\\x00")
    for blank in ["", " ", "\r\n\r\n"] { #expect(FailedAnswer.text(Array(blank.utf8)) == nil) }
  }

  @Test func twoKibibytesOfItAreKept() {
    #expect(FailedAnswer.text(Array(String(repeating: "a", count: 5000).utf8)) == String(repeating: "a", count: 2048))
  }

  @Test func whatTheRequestCarriedIsHidden() {
    let text = "Authorization: Bearer t0ken-of-ours, again t0ken-of-ours"
    #expect(
      FailedAnswer.hiding(["t0ken-of-ours", "", "a"], in: text) == "Authorization: Bearer [secret], again [secret]")
  }
}
