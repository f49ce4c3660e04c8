import ChildProcesses
import FoundationEssentials
import Testing

/// `waybill check --name`: what becomes of a file by its name alone.
@Suite(.slot)
struct NameCheckTests {
  private static let configuration = """
    [storage.main]
    endpoint = "http://127.0.0.1:9"
    region = "us-east-1"
    bucket = "documents"
    access_key = { file = "/nonexistent/a" }
    secret_key = { file = "/nonexistent/b" }
    [backend.main]
    url = "http://127.0.0.1:9/documents"
    [[spool]]
    name = "cases"
    path = "/nonexistent/cases"
    match = '(?<case>\\d+)_(?<kind>[a-z]+)\\.pdf'
    key = "cases/{case}/{kind}/{name}"
    unmatched = "ignore"
    [[spool]]
    name = "all"
    path = "/nonexistent/all"
    recursive = true
    only = ["*.pdf", "*.tif"]
    key = "{spool}/{path}/{name}"
    sidecar = "{stem}.json"
    [[spool]]
    name = "runs"
    path = "/nonexistent/runs"
    marker = "done"
    key = "runs/{name}"
    """

  private func check(_ names: String..., changing change: (String) -> String = { $0 }) async throws -> Command {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.file("w.toml")
    try Data(change(Self.configuration).utf8).write(to: URL(filePath: path))
    return try await Command.run(
      [Products.command, "check", "--config", path, "--no-keys", "--no-spools"] + names.flatMap { ["--name", $0] })
  }

  @Test func showsKeyAndParts() async throws {
    let found = try await check("17_invoice.pdf")
    #expect(found.status == 0, "\(found)")
    #expect(
      found.output.hasSuffix(
        """
          spool.cases 17_invoice.pdf → cases/17/invoice/17_invoice.pdf (case = 17, kind = invoice)
          spool.all 17_invoice.pdf → all/17_invoice.pdf
          spool.runs 17_invoice.pdf → runs/17_invoice.pdf/

        """), "\(found)")
  }

  @Test func saysWhyNotTaken() async throws {
    let found = try await check("x.txt", "a/b.pdf", "x.tmp", ".hidden", "scan.json", "a//b")
    for line in [
      #"? spool.cases x.txt stays in the spool: it does not match '(?<case>\d+)_(?<kind>[a-z]+)\.pdf'"#,
      "? spool.all x.txt is not taken: only *.pdf, *.tif",
      "? spool.cases a/b.pdf is in a directory, and the spool is not recursive", "  spool.all a/b.pdf → all/a/b.pdf",
      "? spool.runs a/b.pdf is in a directory, which is taken as a whole: give the name of that",
      "? spool.all x.tmp is ignored: x.tmp matches '*.tmp'", "? spool.all .hidden begins with a dot, and is not taken",
      "  spool.all scan.json is a sidecar, and has no object of its own",
      "? spool.all a//b is no name of a file below a spool",
    ] { #expect(found.output.split(separator: "\n").contains { $0 == line }, "\(line): \(found)") }
    // A file that is not taken is no fault of the configuration.
    #expect(found.status == 0)
  }

  @Test(arguments: [
    ("ask", "? spool.cases x.txt → cases/x.txt; a person is asked first, because it does not match"),
    ("send", "? spool.cases x.txt → cases/x.txt; it does not match"),
  ])
  func saysWhatBecomesOfOthers(unmatched: String, line: String) async throws {
    let found = try await check("x.txt") { $0.replacing("\"ignore\"", with: "\"\(unmatched)\"") }
    #expect(found.output.contains(line), "\(found)")
  }

  @Test func escapesNames() async throws {
    let found = try await check("a\u{1B}[31m.pdf")
    #expect(found.output.contains(#"spool.all a\x1b[31m.pdf → all/"#) && !found.output.contains("\u{1B}"), "\(found)")
  }
}
