import Testing

@testable import Fleet

/// The regular expressions for what people look for.
struct TextMatchTests {
  @Test(arguments: [
    ("scan", "scan"), ("scan*", "^scan.*$"), ("*.p?f", "^.*\\.p.f$"), ("a.", "a\\."), ("%", "\\%"), ("\\", "\\\\"),
    ("n[2]", "^n[2]$"), ("[!a]*", "^[^a].*$"), ("[^]]", "^[^\\]]$"), ("[[]*", "^[\\[].*$"), ("a[*", "^a\\[.*$"),
  ])
  func shellPatternsBecomeExpressions(pattern: String, expression: String) {
    #expect(TextMatch.name(pattern) == expression)
  }

  @Test func ellipsisStandsForAnyText() {
    #expect(TextMatch.words("key … is (wrong)") == "key .* is \\(wrong\\)")
    #expect(TextMatch.words("key ... is") == "key .* is", "as the manual page writes it")
  }
}
