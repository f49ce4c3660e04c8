import ChildProcesses
import Settings
import Testing

@Suite struct SyntaxTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test(arguments: [
    Broken(
      .all("[daemon\nconcurrency = 3\n"),
      "F:1: not valid TOML, at column 8: Error while parsing table header: expected ']', saw '\\n'"),
    Broken(
      .all("\n\n[daemon]\nconcurrency = \n"),
      "F:4: not valid TOML, at column 15: Error while parsing key-value pair: expected value, saw '\\n'"),
    Broken(
      .line(3, "bucket = \"a\"\nbucket = \"b\""),
      "F:4: not valid TOML, at column 10: Error while parsing key-value pair: cannot redefine existing string 'bucket'"),
    Broken(
      .after("[storage.main]\nregion = \"x\""),
      "F:10: not valid TOML, at column 1: Error while parsing table header: cannot redefine existing table 'storage.main'"
    ),
    Broken(
      .all("a = 1\u{0}\n[daemon]\nconcurrency = 0\n"),
      "F:1: has a NUL byte in it; TOML files are plain text"),
  ])
  func reportsLineOfInvalidTOML(broken: Broken) throws { try broken.check(in: directory) }

  @Test(arguments: [
    // Dotted keys, and one that makes its table.
    ("daemon.x = 1", "F:1: daemon.x: unknown key"),
    ("[daemon]\n\n\n# a comment\n  x   = 1", "F:5: daemon.x: unknown key"),
    ("[storage]\nmain.x = 1", "F:2: storage.main.x: unknown key"),
    ("[storage]\n\"main\" . 'x' = 1", "F:2: storage.main.x: unknown key"),
    ("[ storage . main ]\nx = 1", "F:2: storage.main.x: unknown key"),
    ("[storage.main.retry]\n\nx = 1", "F:3: storage.main.retry.x: unknown key"),
    ("[storage]\nmain = { retry = { x = 1 } }", "F:2: storage.main.retry.x: unknown key"),
    ("[backend.main]\n\"a\\u0062\\\"c\" = 1", "F:2: backend.main.\"ab\"c\": unknown key"),
    // Arrays of tables, each element by itself.
    ("[[spool]]\nname = \"a\"\n[[spool]]\nname = \"b\"\nx = 1", "F:5: spool.b.x: unknown key"),
    ("[[spool]]\nname = \"a\"\nx = 1\n[[spool]]\nname = \"b\"\ny = 1", "F:6: spool.b.y: unknown key"),
    ("spool = [\n  { name = \"a\" },\n  { name = \"b\", x = 1 },\n]", "F:3: spool.b.x: unknown key"),
    // Strings and comments that look like something else.
    ("[daemon]\nstate = \"\"\"\n[retry]\nx = 1\\\"\"\"\"\nx = 1", "F:5: daemon.x: unknown key"),
    ("[daemon]\nstate = '''\n[retry]'''\n#x = 1\nx = 1", "F:5: daemon.x: unknown key"),
    ("[daemon]\nstate = \"# [retry] \\\" ' x = 1\" # \"\nx = 1", "F:3: daemon.x: unknown key"),
    ("[daemon]\nstate = 'c:\\'\nx = 1", "F:3: daemon.x: unknown key"),
    ("[daemon]\nstate = \"\"\nx = 1", "F:3: daemon.x: unknown key"),
    ("[daemon]\nhistory = [ [1, 2], # ]\n \"]\",\n {a = [\"}\"]} ]\nx = 1", "F:5: daemon.x: unknown key"),
    ("\u{FEFF}[daemon]\nx = 1", "F:2: daemon.x: unknown key"),
  ])
  func problemsReportLineOfKey(text: String, said: String) throws {
    for text in [text, text.replacing("\n", with: "\r\n")] {
      let problems = try Sample.problems(text, in: directory)
      #expect(problems.contains { $0.hasPrefix(said) }, "\(problems)")
    }
  }

  @Test func reportsAllProblemsInLineOrder() throws {
    let text = """
      [daemon]
      concurrency = 0
      history = 5
      [storage.main]
      bukcet = "x"
      [[spool]]
      path = "x"
      """
    #expect(
      try Sample.problems(text, in: directory).map { $0.prefix { $0 != ";" } } == [
        "F:2: daemon.concurrency: 0 is out of range",
        "F:3: daemon.history: is the integer 5 where a duration in quotes belongs",
        "F:4: storage.main.access_key: missing", "F:4: storage.main.bucket: missing",
        "F:4: storage.main.endpoint: missing", "F:4: storage.main.secret_key: missing",
        "F:5: storage.main.bukcet: unknown key", "F:7: spool[1].path: \"x\" is a relative path",
        "F: no backend is configured",
      ])
  }

  @Test func escapesTextForTerminal() throws {
    let problems = try Sample.problems("\"a\\u001b[31m\\u202e\" = 1", in: directory)
    #expect(problems.first?.hasPrefix("F:1: \"a\\x1b[31m\\u{202e}\": unknown key") == true, "\(problems)")
  }

  @Test func reportsFileTruncatedAnywhere() throws {
    let text = Sample.smallest + "[storage.b]\naccess_key = { env = 'A' }\n[retry]\ndelays = [\n \"1s\" ] # end\n"
    for length in 0..<text.count {
      #expect(
        try !Sample.problems(String(text.prefix(length)), in: directory).isEmpty || length >= Sample.smallest.count - 2)
    }
  }
}
