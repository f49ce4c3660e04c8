import ChildProcesses
import Glibc
import Jobs
import Linux
import Testing

@testable import Spool

@Suite(.slot, .bounded) struct LeftAloneTests {
  let place: Place
  let collector = Collector()

  init() throws { place = try Place() }

  private func options(match: String? = nil, watch: SpoolOptions.Watch = .auto) -> SpoolOptions {
    var options = place.options(settle: .milliseconds(20), settleUnseen: .milliseconds(20))
    (options.watch, options.unmatched) = (watch, .ignore)
    options.match = match.map { NamePattern($0, captures: []) }
    options.longestLook = .milliseconds(50)
    if watch == .poll { options.scanInterval = .milliseconds(50) }
    return options
  }

  private func status(_ spool: SpoolDirectory, _ name: String) async -> FileStatus.Reason? {
    await spool.status(of: FileName(name))?.reason
  }

  @Test func countsWhatIsNoFile() async throws {
    let path = place.path
    #expect(unsafe symlink("/nowhere", path + "/link") == 0)
    #expect(unsafe mkfifo(path + "/fifo", 0o600) == 0)
    #expect(unsafe mkdir(path + "/folder", 0o700) == 0)
    let spool = try SpoolDirectory(options())
    try await running(spool, collector) {
      try await until("both kinds to be counted") { spool.status.waiting == ["not-a-file": 2, "directory": 1] }
    }
    #expect(collector.claims.isEmpty)
  }

  @Test(arguments: [SpoolOptions.Watch.inotify, .poll])
  func renameIsJudgedAnew(watch: SpoolOptions.Watch) async throws {
    let spool = try SpoolDirectory(options(match: #".*\.pdf"#, watch: watch))
    func rename(_ from: String, _ to: String) throws {
      try Directory(path: place.path).rename(Array(from.utf8), into: Directory(path: place.path), as: Array(to.utf8))
    }
    try place.drop("early.txt")
    try await running(spool, collector) {
      try place.drop("a.txt")
      try place.drop("b.txt")
      // A scan alone counts these, at the usual interval.
      try await until("none to be taken") { await status(spool, "b.txt") == .unmatched }
      try rename("a.txt", "a.pdf")
      try rename("early.txt", "late.pdf")
      try await until("both") { collector.claims.count == 2 }
      try rename("b.txt", "c.txt")
      #expect(await status(spool, "c.txt") == .unmatched)
    }
    #expect(Set(collector.names) == ["a.pdf", "late.pdf"])
    #expect(try place.left == ["c.txt"])
  }
}
