import Testing

@testable import ObjectStorage

@Suite struct KeyPatternTests {
  @Test(arguments: [
    ("{spool}/{yyyy}/{mm}/{dd}/{id}/{name}", "docs/", true), ("in/{host}/{name}.{ext}", "in/scanner-3/", false),
    ("{name}", "", false), ("{path}/{stem}-{job}", "", false), ("{spread}/{spool}/{id}", "", true),
    ("in/{metadata.x}/{name}", "in/", false), ("fixed", "fixed", false),
  ])
  func findsCommonBeginningOfKeys(template: String, prefix: String, hasID: Bool) throws {
    let pattern = KeyPattern(try KeyTemplate(template), spool: "docs", host: "scanner-3")
    #expect(pattern.prefix == prefix)
    #expect(pattern.hasID == hasID)
  }
}
