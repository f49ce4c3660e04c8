import Testing

@testable import ObjectStorage

@Suite struct KeyPatternTests {
  @Test(arguments: [
    ("{spool}/{yyyy}/{mm}/{dd}/{id}/{name}", "docs/"), ("in/{host}/{name}.{ext}", "in/scanner-3/"), ("{name}", ""),
    ("{path}/{stem}-{job}", ""), ("{spread}/{spool}/{id}", ""), ("in/{metadata.x}/{name}", "in/"), ("fixed", "fixed"),
  ])
  func findsCommonBeginningOfKeys(template: String, prefix: String) throws {
    #expect(KeyPattern(try KeyTemplate(template), spool: "docs", host: "scanner-3").prefix == prefix)
  }
}
