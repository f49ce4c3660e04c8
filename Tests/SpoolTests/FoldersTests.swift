import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import Testing

@testable import Spool

@Suite(.slot, .bounded) struct FoldersTests {
  let place: Place
  let collector = Collector()

  init() throws { place = try Place() }

  private func options(settleUnseen: Duration = .milliseconds(30)) -> SpoolOptions {
    var options = place.options(settle: .milliseconds(10), settleUnseen: settleUnseen)
    options.recursive = true
    return options
  }

  private func make(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: place.path + "/" + path, withIntermediateDirectories: true)
  }

  private func write(_ path: String, _ text: String = "content") throws {
    try Data(text.utf8).write(to: URL(filePath: place.path + "/" + path))
  }

  private var dropped: [String] { collector.claims.map(\.dropped.text).sorted() }

  @Test func claimsNestedFilesWithPath() async throws {
    try make("old/deep")
    try write("old/deep/before")
    let spool = try SpoolDirectory(options())
    try await running(spool, collector) {
      try write("top")
      try make("new/x y")
      try write("new/x y/after")
      try await until("all to be claimed") { collector.claims.count == 3 }
      for claim in collector.claims {
        #expect(try spool.open(claim.id, claim.dropped).read(at: 0, count: 100) == Array("content".utf8))
        #expect(try spool.identity(claim.id, claim.dropped) == claim.identity)
      }
    }
    #expect(dropped == ["new/x y/after", "old/deep/before", "top"])
    #expect(Set(collector.claims.map { String(decoding: $0.path, as: UTF8.self) }) == ["new/x y", "old/deep", ""])
    #expect(Set(collector.names) == ["after", "before", "top"])
    #expect(collector.problems == [])
    // A lost ledger loses neither id nor path.
    #expect(Set(try spool.claimed()) == Set(collector.claims))
    for claim in collector.claims {
      #expect(try spool.dispose(claim.id, claim.dropped, expecting: claim.identity) == .removed)
    }
    #expect(try place.claimed == [])
  }

  /// Directories of Windows, of network storage and of mkfs are not entered: nothing is said of those that cannot be read.
  @Test(arguments: [nil, "*.done"]) func leavesDirectoriesOfSystemsAlone(marker: String?) async throws {
    let others = ["$RECYCLE.BIN", "System Volume Information", "@eadir", "#recycle", ".Trash-1000", "lost+found"]
    defer { for name in others { _ = unsafe chmod(place.path + "/" + name, 0o700) } }
    func makeOther(_ name: String) throws {
      try make(name)
      try write(name + "/x.done")
      #expect(unsafe chmod(place.path + "/" + name, 0) == 0)
    }
    for name in others.dropLast() { try makeOther(name) }
    var options = options()
    (options.recursive, options.group) = (marker == nil, marker)
    let spool = try SpoolDirectory(options)
    try await running(spool, collector) {
      try await until("the scan") { spool.status.scans > 0 }
      try makeOther("lost+found")
      try make("own/lost+found")
      try write("own/lost+found/a")
      try write("own/a:Zone.Identifier")
      try write("own/x.done")
      let wanted = marker == nil ? ["own/lost+found/a", "own/x.done"] : ["own"]
      try await until("the others") { dropped == wanted }
      #expect(await spool.status(of: FileName("lost+found"))?.reason == .ignored)
    }
    #expect(collector.problems == [])
  }

  @Test func scansAndWatchesMovedInDirectory() async throws {
    try FileManager.default.createDirectory(
      atPath: place.root + "/outside/tree/sub", withIntermediateDirectories: true)
    try Data("1".utf8).write(to: URL(filePath: place.root + "/outside/tree/one"))
    try Data("2".utf8).write(to: URL(filePath: place.root + "/outside/tree/sub/two"))
    let spool = try SpoolDirectory(options())
    try await running(spool, collector) {
      try FileManager.default.moveItem(atPath: place.root + "/outside/tree", toPath: place.path + "/tree")
      try await until("both to be claimed") { collector.claims.count == 2 }
    }
    #expect(dropped == ["tree/one", "tree/sub/two"])
  }

  @Test func renamedDirectoryKeepsOpenFile() async throws {
    try make("a/b")
    let spool = try SpoolDirectory(options())
    try await running(spool, collector) {
      try await until("the scan") { spool.status.lastScan != nil }
      let writer = try Directory(path: place.path + "/a/b").create(Array("slow".utf8), permissions: 0o600)
      try writer.write([1], path: "slow")
      try await until("it to be seen") { spool.status.candidates == 1 }
      try FileManager.default.moveItem(atPath: place.path + "/a", toPath: place.path + "/c")
      try writer.write([2], path: "slow")
      for index in 0..<5 {
        try write("c/b/other\(index)")
        try await until("other\(index)") { collector.admitted("other\(index)") }
      }
      #expect(!collector.admitted("slow"))
      _ = consume writer
      try await until("slow") { collector.admitted("slow") }
    }
    #expect(dropped.contains("c/b/slow"))
    #expect(dropped.allSatisfy { $0.hasPrefix("c/b/") })
    #expect(collector.claims.first { $0.name.text == "slow" }?.identity.size == 2)
  }

  /// Nobody has watched it under its first names, so somebody may have a file in it open.
  @Test func directoryRenamedTwiceBeforeItsEventsIsNew() async throws {
    let spool = try SpoolDirectory(options())
    let watch = try SpoolWatch(spool, collector)
    await watch.begin()
    try make("a")
    for (from, to) in [("a", "b"), ("b", "c")] {
      try FileManager.default.moveItem(atPath: "\(place.path)/\(from)", toPath: "\(place.path)/\(to)")
    }
    await watch.readEvents()
    let new = await watch.newFolders
    #expect(new.contains { $0.folder == Folder.spool.child(Array("c".utf8)) && $0.isMade })
    // One that comes from elsewhere had nobody in it who is not known.
    try FileManager.default.createDirectory(atPath: place.root + "/outside/d", withIntermediateDirectories: false)
    try FileManager.default.moveItem(atPath: place.root + "/outside/d", toPath: place.path + "/d")
    await watch.readEvents()
    let moved = await watch.newFolders
    #expect(moved.contains { $0.folder == Folder.spool.child(Array("d".utf8)) && !$0.isMade })
  }

  @Test func skipsLinksIgnoredAndHiddenDirectories() async throws {
    try FileManager.default.createDirectory(atPath: place.root + "/outside/far", withIntermediateDirectories: false)
    try Data().write(to: URL(filePath: place.root + "/outside/far/file"))
    try make(".hidden")
    try write(".hidden/file")
    try make("x.part")
    try write("x.part/file")
    let spool = try SpoolDirectory(options(settleUnseen: .zero))
    try await running(spool, collector) {
      #expect(unsafe symlink(place.root + "/outside/far", place.path + "/link") == 0)
      try write("marker")
      try await until("the marker") { collector.admitted("marker") }
      #expect(dropped == ["marker"])
      try FileManager.default.moveItem(atPath: place.path + "/x.part", toPath: place.path + "/x")
      try await until("what has its final name") { collector.claims.count == 2 }
    }
    #expect(dropped == ["marker", "x/file"])
    #expect(FileManager.default.fileExists(atPath: place.root + "/outside/far/file"))
  }

  @Test(.needs(.otherUser)) func skipsAndReportsUnreadableDirectory() async throws {
    await #expect(processExitsWith: .success) {
      let place = try Place()
      try FileManager.default.createDirectory(atPath: place.path + "/closed", withIntermediateDirectories: false)
      try FileManager.default.createDirectory(atPath: place.path + "/foreign", withIntermediateDirectories: false)
      try Data().write(to: URL(filePath: place.path + "/foreign/file"))
      #expect(unsafe chmod(place.path + "/closed", 0o700) == 0)
      #expect(unsafe chmod(place.path + "/foreign", 0o755) == 0)
      try becomeNobody(owner: 65_534, mode: 0o3770, of: place)
      var options = place.options(settle: .zero, settleUnseen: .zero)
      options.recursive = true
      options.scanInterval = .milliseconds(20)
      let spool = try SpoolDirectory(options)
      let collector = Collector()
      try await running(spool, collector) {
        try place.write("open")
        try await until("open to be claimed") { collector.admitted("open") }
        try await until("the problems") { collector.problems.count == 2 }
        let before = try #require(spool.status.lastScan)
        try await until("more scans") { spool.status.lastScan.map { $0 - before > .milliseconds(200) } == true }
      }
      #expect(Set(collector.problems.map(\.cause)) == [.scan, .rights])
      #expect(collector.problems.count == 2)
      let rights = collector.problems.first { $0.cause == .rights }
      #expect(rights?.remedy.contains("setfacl") == true, "\(rights?.remedy ?? "")")
      #expect(rights?.reason.contains("/foreign/file") == true, "\(rights?.reason ?? "")")
    }
  }
}
