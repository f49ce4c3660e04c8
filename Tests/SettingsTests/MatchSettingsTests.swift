import ChildProcesses
import Jobs
import Settings
import Testing

@Suite struct MatchSettingsTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  private static let match = #"match = '(?<case>\d+)_(?<kind>[a-z]+)\.pdf'"# + "\n"

  private func text(storage: String = "", backend: String = "", spool: String = "") -> String {
    Sample.smallest.replacing("[storage.main]\n", with: "[storage.main]\n" + storage)
      .replacing("[backend.main]\n", with: "[backend.main]\n" + backend) + spool
  }

  @Test func partsArePlaceholdersOfAllTemplates() throws {
    let text = text(
      storage: "tags = { kind = \"{kind}\" }\nheaders = { x-amz-meta-case = \"{case:header}\" }\n",
      backend: "fields = { number = \"{case}\" }\n",
      spool: Self.match
        + "unmatched = \"ignore\"\nkey = \"{kind}/{case}/{id}\"\nlink = \"https://x/{case}?{key}\"\n")
    let configuration = try Sample.load(text, in: directory)
    let spool = try #require(configuration.spools.first)
    #expect(spool.match == NamePattern(#"(?<case>\d+)_(?<kind>[a-z]+)\.pdf"#, captures: ["case", "kind"]))
    #expect(spool.unmatched == .ignore && spool.key == "{kind}/{case}/{id}")
    #expect(configuration.storages["main"]?.captures == ["case", "kind"])
    #expect(configuration.backends["main"]?.captures == ["case"])
  }

  @Test func partsAreKnownWhereTheirSpoolSends() throws {
    let second = """
      storage = "main"
      backend = "main"
      \(Self.match)
      [[spool]]
      path = "/srv/b"
      storage = "other"
      backend = "main"
      match = "(?<ward>.).*"

      """
    let other = Sample.storage.replacing("storage.main", with: "storage.other") + "\n"
    let good = text(backend: "fields = { a = \"{case}\", b = \"{ward}\" }\n", spool: second) + other
    #expect(try Sample.load(good, in: directory).backends["main"]?.captures == ["case", "ward"])
    let bad = good.replacing("[storage.other]\n", with: "[storage.other]\ntags = { a = \"{case}\", b = \"{ward}\" }\n")
    let problems = try Sample.problems(bad, in: directory)
    #expect(problems.count == 1 && problems.first?.contains(#"tags.a: unknown placeholder "{case}""#) == true)
  }

  @Test(
    arguments: Broken.rows(
      #"""
      + match = '(?<case>a'
        F:10: spool.documents.match: "(?<case>a" is no expression for names: missing closing parenthesis, at character 10; write it like '(?<case>\d+)_(?<kind>[a-z]+)\.pdf'
      + match = '(?<Case>a)'
        F:10: spool.documents.match: "(?<Case>a)" is no expression for names: it names a part Case: a name has lower-case letters, digits and _, and begins with a letter; write it like '(?<case>\d+)_(?<kind>[a-z]+)\.pdf'
      + match = '(?<name>a)(?<sha256>b)'
        F:10: spool.documents.match: names a part name, and {name} is a placeholder already; give the part another name
        F:10: spool.documents.match: names a part sha256, and {sha256} is a placeholder already; give the part another name
      + unmatched = "ignore"
        F:10: spool.documents.unmatched: has no effect; it needs a line with match
      + match = 'a'⏎unmatched = "leave"
        F:11: spool.documents.unmatched: "leave" is not known; it may be "ask", "ignore"
      + match = '(?<case>a)'⏎key = "{csae}/{id}"
        F:11: spool.documents.key: unknown placeholder "{csae}"; did you mean {case}?
      + key = "{case}/{id}"
        F:10: spool.documents.key: unknown placeholder "{case}"; it may have {spool} {yyyy} {mm} {dd} {id} {name} {stem} {ext} {job} {host} {path} {spread} {metadata.NAME}
      """#))
  func refusesWrongExpressions(broken: Broken) throws { try broken.check(in: directory) }

  @Test func expressionChangesWhatNamesItsParts() throws {
    let old = try Sample.load(text(), in: directory)
    let plain = try Sample.load(text(spool: Self.match), in: directory)
    #expect(plain.changes(from: old).changed == ["spool.documents"])
    let named = try Sample.load(text(backend: "fields = { a = \"{case}\" }\n", spool: Self.match), in: directory)
    #expect(named.changes(from: old).changed == ["backend.main", "spool.documents"])
  }
}
