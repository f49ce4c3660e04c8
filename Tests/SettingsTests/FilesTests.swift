import ChildProcesses
import Foundation
import Jobs
import Settings
import Testing

@Suite struct FilesTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test func reportsUnreadableFiles() throws {
    let big = try directory.write("big.toml", [UInt8](repeating: 0x23, count: 1024 * 1024 + 1))
    for (path, said) in [
      (
        "\(directory.path)/none.toml",
        "No such file or directory; waybill init makes waybill.toml, and examples are in /usr/share/doc/waybill*/examples; "
          + "--config FILE names another file"
      ),
      (directory.path, "Is a directory; name a file inside it with --config FILE"),
      ("/dev/null", "Invalid argument; it must be a regular file"),
      (big, "File too large; a configuration file has at most 1 MiB"),
    ] {
      #expect(problems(path) == ["\(path): cannot read the configuration: \(said)"])
    }
  }

  @Test func reportsLineOfInvalidUTF8() throws {
    let path = try directory.write("latin.toml", Array("# one\n# two\n# Stra".utf8) + [0xDF] + Array("e\n".utf8))
    #expect(
      problems(path) == ["\(path):3: is not UTF-8 text; TOML files are UTF-8: save it in that encoding"])
  }

  @Test func folderAddsSectionsInNameOrder() throws {
    try directory.write("waybill.d/20.toml", "[[spool]]\npath = \"/srv/c\"\nbackend = \"other\"\n")
    try directory.write("waybill.d/10.toml", "[[spool]]\npath = \"/srv/b\"\n")
    try directory.write(
      "waybill.d/05.toml", "[backend.other]\nurl = \"http://127.0.0.1:8080/x?y=1\"\nretry.delays = [\"2s\"]\n")
    try directory.write("waybill.d/.hidden.toml", "nonsense")
    try directory.write("waybill.d/README", "nonsense")
    let configuration = try Sample.load(
      Sample.smallest + "[retry]\ndelays = [\"1s\"]\nunavailable = \"retry\"\n", in: directory)
    #expect(configuration.spools.map(\.name) == ["documents", "b", "c"])
    #expect(configuration.spools.map(\.backend) == ["main", "main", "other"])
    #expect(configuration.backends["other"]?.retry.delays == [.seconds(2)])
    #expect(configuration.backends["other"]?.retry.unavailable == .retry)
    #expect(configuration.backends["main"]?.retry.delays == [.seconds(1)])
  }

  @Test func folderRefusesDaemonAndDuplicateNames() throws {
    try directory.write("waybill.d/a.toml", "[daemon]\nconcurrency = 3\n[retry]\n[storage.main]\nbucket = \"b\"\n")
    try directory.write("waybill.d/b.toml", "\n[[spool]]\npath = \"/srv/documents\"\n")
    #expect(
      try Sample.problems(Sample.smallest, in: directory) == [
        "KEYS/waybill.d/a.toml:1: daemon: may not be set in the folder; move it to the main file",
        "KEYS/waybill.d/a.toml:3: retry: may not be set in the folder; move it to the main file",
        "KEYS/waybill.d/a.toml:4: storage.main: is defined already, in F:1; give one of them another name",
        "KEYS/waybill.d/b.toml:2: spool.documents.name: there is another spool of this name, in F:8; give one of them another name",
      ])
  }

  /// What the others refer to may be in the file that is none.
  @Test func fileThatIsNoTOMLIsTheOnlyProblem() throws {
    try directory.write("waybill.d/a.toml", "[[spool]]\npath = \"/a\"\nstorage = \"x\"\nbackend = \"x\"\n")
    try directory.write("waybill.d/b.toml", "[daemon]\n")
    try directory.write("waybill.d/c.toml", "[backend.x\n")
    #expect(
      try Sample.problems(Sample.smallest, in: directory) == [
        "KEYS/waybill.d/c.toml:1: not valid TOML, at column 11: Error while parsing table header: expected \']\', saw '\\n'"
      ])
  }

  @Test func folderCannotReplaceUnreadableMainFile() throws {
    try directory.write("waybill.d/a.toml", Sample.smallest)
    let path = "\(directory.path)/waybill.toml"
    #expect(
      problems(path).map { $0.prefix(while: { $0 != ";" }) } == [
        "\(path): cannot read the configuration: No such file or directory"
      ])
  }

  @Test func refusesFileInPlaceOfFolder() throws {
    let folder = try directory.write("waybill.d", "")
    #expect(
      try Sample.problems(Sample.smallest, in: directory)
        == ["\(folder.replacing(directory.path, with: "KEYS")): cannot read the configuration: Not a directory"])
  }

  @Test func folderNameFollowsFileName() throws {
    try directory.write("two.conf.d/a.toml", "[[spool]]\npath = \"relative\"\n")
    let path = try directory.write("two.conf", "")
    let said = "\(path).d/a.toml:2: spool[1].path: \"relative\" is a relative path; write the absolute path, from /"
    #expect(problems(path).contains(said))
  }

  private func problems(_ path: String) -> [String] {
    let error = #expect(throws: ConfigurationError.self) { try Configuration.load(path: path, environment: [:]) }
    return error?.problems.map(\.description) ?? []
  }
}
