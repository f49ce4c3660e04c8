import Jobs
import Testing

@testable import ObjectStorage

@Suite struct KeyTemplateTests {
  private static func facts(_ name: String, path: String = "") -> KeyFacts {
    facts(FileName(name), path: Array(path.utf8))
  }

  private static func facts(_ name: FileName, path: [UInt8] = []) -> KeyFacts {
    KeyFacts(
      spool: "documents", id: JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB), name: name,
      job: JobNumber(rawValue: 42), host: "scanner-3", path: path,
      time: Timestamp(year: 2026, month: 3, day: 1, hour: 23, minute: 59, second: 59))
  }

  @Test func rendersEveryPlaceholder() throws {
    let template = try KeyTemplate(KeyFact.allCases.map { "{\($0.rawValue)}" }.joined(separator: "|"))
    #expect(
      try template.render(Self.facts("a.tar.gz", path: "x/y"))
        == "documents|2026|03|01|01939f5c-7b1a-7c3d-9e4f-0123456789ab|a.tar.gz|a.tar|gz|42|scanner-3|x/y|ab")
  }

  @Test(arguments: [
    ("a.tar.gz", "a.tar", "gz"), ("README", "README", ""), ("end.", "end", ""), ("x.", "x", ""), ("a..b", "a.", "b"),
  ]) func splitsNameAtLastDot(_ name: String, _ stem: String, _ ext: String) throws {
    #expect(try KeyTemplate("[{stem}][{ext}]").render(Self.facts(name)) == "[\(stem)][\(ext)]")
  }

  @Test func emptyPathDropsItsSlash() throws {
    let template = try KeyTemplate("{spool}/{path}/{name}")
    #expect(try template.render(Self.facts("a")) == "documents/a")
    #expect(try template.render(Self.facts("a", path: "b/c")) == "documents/b/c/a")
    #expect(try KeyTemplate("{path}/{name}").render(Self.facts("a")) == "a")
    #expect(try KeyTemplate("{name}/{path}").render(Self.facts("a")) == "a")
  }

  @Test(arguments: [
    ("..", "%2E%2E"), (".", "%2E"), ("...", "..."), (".a", ".a"), ("../../etc/passwd", "%2E%2E/%2E%2E/etc/passwd"),
    ("a//b", "a/b"), ("/a/", "a"), ("./x", "%2E/x"),
  ]) func dropsEmptyAndEncodesDotSegments(_ name: String, _ key: String) throws {
    #expect(try KeyTemplate("{name}").render(Self.facts(name)) == key)
  }

  @Test func capturesFillSegments() throws {
    var facts = Self.facts("2026_invoice.pdf")
    facts.captures = ["case": "2026", "ward": "a/b", "raw": "A%FF"]
    let template = try KeyTemplate("{kind}/{case}/{ward}/{raw}/{name}", captures: ["case", "kind", "ward", "raw"])
    #expect(try template.render(facts) == "2026/a/b/A%25FF/2026_invoice.pdf")
    let link = try LinkTemplate("https://x/{ward}/{case}?k={kind}", captures: ["case", "kind", "ward"])
    #expect(link.render(bucket: "b", key: "k", facts: facts) == "https://x/a/b/2026?k=")
    #expect(throws: TemplateFault.self) { try KeyTemplate("{case}/{name}") }
  }

  @Test func encodesDotsLeftByEmptyPlaceholders() throws {
    #expect(try KeyTemplate("a/.{ext}/b").render(Self.facts("name")) == "a/%2E/b")
    #expect(try KeyTemplate("a/.{ext}/b").render(Self.facts("name.x")) == "a/.x/b")
  }

  @Test func rejectsKeysOver1024Bytes() throws {
    let template = try KeyTemplate("{name}")
    #expect(try template.render(Self.facts(String(repeating: "ü", count: 512))).utf8.count == 1024)
    do throws(Failure) {
      let key = try template.render(Self.facts(String(repeating: "ü", count: 512) + "x"))
      Issue.record("a key of \(key.utf8.count) bytes")
    } catch {
      #expect(error.kind == .rejected)
      #expect(error.words == "the object's key would have 1025 bytes, and S3 allows at most 1,024: shorten the name")
    }
  }

  @Test func rejectsEmptyKey() throws {
    #expect(throws: Failure.self) { try KeyTemplate("{ext}").render(Self.facts("README")) }
  }

  @Test(arguments: [
    ("{name", TemplateFault.unclosed), ("name}", .unopened), ("{{name}}", .unclosed), ("{nome}", .unknown("nome")),
    ("{}", .unknown("")),
  ]) func refusesInvalidTemplates(_ text: String, _ fault: TemplateFault) {
    #expect(throws: fault) { try KeyTemplate(text) }
  }

  @Test func defaultLinkKeepsKeyVerbatim() throws {
    let key = "a b/ü%20?.pdf"
    #expect(LinkTemplate.s3.render(bucket: "docs", key: key, facts: Self.facts("x")) == "s3://docs/a b/ü%20?.pdf")
    #expect(try LinkTemplate("") == .s3)
  }

  @Test func customLinksPercentEncodeValues() throws {
    let facts = Self.facts("a/b ü.pdf", path: "x y/z")
    let link = try LinkTemplate("https://cdn.example.com/{bucket}/{key}?n={name}&p={path}&j={job}")
    #expect(
      link.render(bucket: "docs", key: "a b/ü%?#+.pdf", facts: facts)
        == "https://cdn.example.com/docs/a%20b/%C3%BC%25%3F%23%2B.pdf?n=a%2Fb%20%C3%BC.pdf&p=x%20y/z&j=42")
    #expect(throws: TemplateFault.self) { try LinkTemplate("https://x/{nope}") }
  }
}
