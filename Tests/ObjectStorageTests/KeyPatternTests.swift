import Testing

@testable import ObjectStorage

@Suite struct KeyPatternTests {
  private static let id = "01939f5c-7b1a-7c3d-9e4f-0123456789ab"

  @Test(arguments: [
    ("{spool}/{yyyy}/{mm}/{dd}/{id}/{name}", "docs/", "docs/2026/11/21/\(id)/a b/ü.pdf", true),
    ("{spool}/{yyyy}/{mm}/{dd}/{id}/{name}", "docs/", "docs/2026/11/21/\(id)x/a", false),
    ("{spool}/{yyyy}/{mm}/{dd}/{id}/{name}", "docs/", "docs/2026/1/21/\(id)/a", false),
    ("{spool}/{yyyy}/{mm}/{dd}/{id}/{name}", "docs/", "other/2026/11/21/\(id)/a", false),
    ("in/{host}/{name}.{ext}", "in/scanner-3/", "in/scanner-3/a.b.pdf", true),
    ("in/{host}/{name}.{ext}", "in/scanner-3/", "in/scanner-3/a", false),
    ("{name}", "", "whatever", true),
    ("{path}/{stem}-{job}", "", "a/b-1", true),
    ("{path}/{stem}-{job}", "", "b", false),
    ("{spread}/{spool}/{id}", "", "7f/docs/\(id)", true),
    ("{spread}/{spool}/{id}", "", "7F/docs/\(id)", false),
    ("{spread}/{spool}/{id}", "", "7g/docs/\(id)", false),
    ("{spread}/{spool}/{id}", "", "7/docs/\(id)", false),
    ("fixed", "fixed", "fixed", true),
    ("fixed", "fixed", "fixed2", false),
  ])
  func matchesOnlyKeysOfTemplate(template: String, prefix: String, key: String, fits: Bool) throws {
    let pattern = KeyPattern(try KeyTemplate(template), spool: "docs", host: "scanner-3")
    #expect(pattern.prefix == prefix)
    #expect(pattern.matches(key) == fits)
  }
}
