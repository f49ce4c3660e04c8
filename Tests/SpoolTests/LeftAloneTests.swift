import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import Testing

@testable import Spool

/// Files that their name keeps in the spool, in a spool that runs.
@Suite(.slot, .bounded) struct LeftAloneTests {
  let place: Place
  let collector = Collector()

  init() throws { place = try Place() }

  private func options(
    match: String? = nil, watch: SpoolOptions.Watch = .auto, recursive: Bool = false
  ) -> SpoolOptions {
    var options = place.options(settle: .milliseconds(20), settleUnseen: .milliseconds(20))
    (options.watch, options.recursive, options.unmatched) = (watch, recursive, .ignore)
    options.match = match.map { NamePattern($0, captures: []) }
    options.longestLook = .milliseconds(50)
    if watch == .poll { options.scanInterval = .milliseconds(50) }
    return options
  }

  private func status(_ spool: SpoolDirectory, _ name: String) async -> FileStatus.Reason? {
    await spool.status(of: FileName(name))?.reason
  }

  /// Waits until a spool has these names by their reasons.
  private func until(_ spool: SpoolDirectory, _ waiting: [String: Int]) async throws {
    try await ChildProcesses.until("\(waiting) to be left alone") { spool.status.waiting == waiting }
  }

  @Test func countsWhatIsNoFile() async throws {
    let path = place.path
    #expect(unsafe symlink("/nowhere", path + "/link") == 0)
    #expect(unsafe mkfifo(path + "/fifo", 0o600) == 0)
    #expect(unsafe mkdir(path + "/folder", 0o700) == 0)
    let spool = try SpoolDirectory(options())
    try await running(spool, collector) {
      try await until(spool, ["not-a-file": 2, "directory": 1])
    }
    #expect(collector.claims.isEmpty)
  }

  /// The directory's name of a group.
  @Test func unmatchedGroupIsCounted() async throws {
    var options = options(match: #"run\d+"#)
    options.group = "done"
    let spool = try SpoolDirectory(options)
    for name in ["run1", "other"] {
      let folder = place.root + "/outside/" + name
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for file in ["a", "done"] { try Data("x".utf8).write(to: URL(filePath: folder + "/" + file)) }
      try FileManager.default.moveItem(atPath: folder, toPath: place.path + "/" + name)
    }
    try await running(spool, collector) {
      try await ChildProcesses.until("the one that fits") { collector.claims.count == 1 }
      try await until(spool, ["unmatched": 1])
      #expect(await status(spool, "other") == .unmatched)
      #expect(await status(spool, "other/a") == .unmatched)
    }
    #expect(collector.names == ["run1"])
  }

  /// A rename from and to names that are taken, before and while the spool runs.
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
      try await ChildProcesses.until("none to be taken") { await status(spool, "b.txt") == .unmatched }
      try rename("a.txt", "a.pdf")
      try rename("early.txt", "late.pdf")
      try await ChildProcesses.until("both") { collector.claims.count == 2 }
      try rename("b.txt", "c.txt")
      #expect(await status(spool, "c.txt") == .unmatched)
    }
    #expect(Set(collector.names) == ["a.pdf", "late.pdf"])
    #expect(try place.left == ["c.txt"])
  }

  /// A directory's name need not match, only those of the files in it.
  @Test func matchAppliesToFilesNotDirectories() async throws {
    let spool = try SpoolDirectory(options(match: #".*\.pdf"#, recursive: true))
    try FileManager.default.createDirectory(atPath: place.path + "/batch/1", withIntermediateDirectories: true)
    for name in ["a.pdf", "c.txt"] {
      try place.prepare(Array(name.utf8), "four")
      try FileManager.default.moveItem(atPath: place.root + "/outside/" + name, toPath: place.path + "/batch/1/" + name)
    }
    try await running(spool, collector) {
      try await ChildProcesses.until("the one") { collector.claims.count == 1 }
      try await until(spool, ["unmatched": 1])
    }
    #expect(collector.claims.map(\.dropped.text) == ["batch/1/a.pdf"])
  }
}
