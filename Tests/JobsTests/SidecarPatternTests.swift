import Jobs
import Testing

@Suite struct SidecarPatternTests {
  @Test(arguments: [
    ("{name}.json", "scan.pdf", "scan.pdf.json"), ("{stem}.json", "scan.pdf", "scan.json"),
    ("{stem}.json", "a/b/scan.tar.gz", "a/b/scan.tar.json"), ("{stem}.xml", "README", "README.xml"),
    ("meta-{name}.txt", "x/scan.pdf", "x/meta-scan.pdf.txt"), ("{stem}_info.json", ".a.b", ".a_info.json"),
  ])
  func patternNamesSidecar(text: String, document: String, sidecar: String) throws {
    let pattern = try SidecarPattern(text)
    #expect(pattern.sidecar(of: FileName(document)) == FileName(sidecar))
    #expect(pattern.fits(FileName(sidecar)))
    #expect(!pattern.fits(FileName(document)))
    #expect(pattern.document(of: FileName(sidecar)) == (pattern.part == .name ? FileName(document) : nil))
  }

  @Test func keepsNonUTF8Bytes() throws {
    let name = FileName(bytes: [0xFF, 0x2E, 0x61])
    let pattern = try SidecarPattern("{name}.json")
    #expect(pattern.sidecar(of: name).bytes == [0xFF, 0x2E, 0x61] + Array(".json".utf8))
    #expect(pattern.document(of: pattern.sidecar(of: name)) == name)
  }

  @Test func bareSuffixIsNoSidecar() throws {
    #expect(try !SidecarPattern("{name}.json").fits(FileName(".json")))
    #expect(try !SidecarPattern("a-{name}-b.json").fits(FileName("a-b.json")))
  }

  @Test(arguments: [
    "", "x.json", "{name}", "{name}.csv", "{name}{stem}.json", "{name}.json}", "{nam}.json", "{name.json",
    "sub/{name}.json",
    ".{name}.json", "{{name}}.json", String(repeating: "x", count: 200) + "{name}.json",
  ])
  func refusesInvalidPatterns(text: String) {
    #expect(throws: SidecarPattern.Fault.self) { try SidecarPattern(text) }
  }
}
