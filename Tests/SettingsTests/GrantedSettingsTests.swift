import ChildProcesses
import Settings
import Testing

@Suite struct GrantedSettingsTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  private static func text(_ lines: String...) -> String {
    let storage = ["[storage.main]", "from = \"backend.main\"", "upload_url = \"https://h/uploads\""] + lines
    return [storage.joined(separator: "\n"), Sample.backend, Sample.spool].joined(separator: "\n") + "\n"
  }

  @Test func readsWhatGoesWithFrom() throws {
    let text = Self.text(
      "upload_hosts = [\"a.example.com\", \"*.Blob.example.com\"]", "checksum = \"none\"", "rate = 2.5")
    let configuration = try Sample.load(text, in: directory)
    #expect(configuration.rates == ["storage.main": 2.5])
    let storage = try #require(configuration.granted["main"])
    #expect(storage.name == "main" && storage.backend == "main" && !storage.tellsDigest)
    #expect(storage.allows("a.example.com") && storage.allows("b.blob.example.com"))
    #expect(!storage.allows("blob.example.com") && !storage.allows("b.a.example.com"))
  }

  @Test(arguments: [
    ("bucket = \"documents\"", "F:4: storage.main.bucket: does not go with from"),
    ("upload_hosts = []", "F:4: storage.main.upload_hosts: is empty"),
    ("upload_hosts = [\"https://h\"]", "F:4: storage.main.upload_hosts: \"https://h\" is no host"),
  ])
  func refusesWhatDoesNotFit(line: String, problem: String) throws {
    let problems = try Sample.problems(Self.text(line), in: directory)
    #expect(problems.count == 1 && problems[0].hasPrefix(problem))
  }

  @Test func keysOfGrantsNeedFrom() throws {
    let text = Sample.smallest.replacing("bucket =", with: "upload_url = \"https://h/u\"\nbucket =")
    #expect(
      try Sample.problems(text, in: directory) == [
        "F:3: storage.main.upload_url: has no effect; it needs a line like from = \"backend.main\""
      ])
  }

  @Test func storageThatIsGrantedNowHasChanged() throws {
    let before = try Sample.load(Sample.smallest, in: directory)
    let changes = try Sample.load(Self.text(), in: directory).changes(from: before)
    #expect(changes.changed == ["storage.main"] && changes.added.isEmpty && changes.removed.isEmpty)
  }
}
