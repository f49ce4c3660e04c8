import ChildProcesses
import Foundation
import Jobs
import Linux
import Testing

@testable import Spool

@Suite struct GroupCandidatesTests {
  private static let name = FileName("run")
  private static let start = ContinuousClock.now

  private func look(hasMarker: Bool = true, sum: UInt64 = 1) -> GroupLook {
    GroupLook(files: 2, bytes: 10, hasMarker: hasMarker, changed: 0, modified: 0, sum: GroupSum(value: sum))
  }

  private func group() -> GroupCandidates {
    var groups = GroupCandidates()
    groups.met(Self.name, now: Self.start)
    return groups
  }

  /// The age counts if the clock is ours; else two looks must have found the same.
  @Test(
    arguments: [
      (.seconds(10), true), (.seconds(9), false), (.seconds(-5), false), (nil, false),
    ] as [(Duration?, Bool)])
  func oldGroupNeedsOneLook(age: Duration?, isTaken: Bool) {
    var groups = group()
    groups.saw(Self.name, look(), age: age, stillness: .seconds(10), now: Self.start)
    #expect((groups.readyCount == 1) == isTaken)
    guard !isTaken else { return }
    let later = Self.start + .seconds(10)
    #expect(groups.nextDeadline.map { $0 <= later } == true)
    var changed = groups
    changed.saw(Self.name, look(sum: 2), age: nil, stillness: .seconds(10), now: later)
    groups.saw(Self.name, look(), age: nil, stillness: .seconds(10), now: later)
    #expect(changed.readyCount == 0 && groups.readyCount == 1)
  }

  @Test func claimsReadyGroupOnce() {
    var groups = group()
    groups.saw(Self.name, look(), age: .seconds(10), stillness: .seconds(10), now: Self.start)
    #expect(groups.takeReady()?.name == Self.name && groups.readyCount == 0 && groups.takeReady() == nil)
    // whatever becomes of one that is ready, it is ready no more
    for end in [
      { $0.forget(Self.name) }, { $0.forgetAll() }, { $0.set(Self.name, .refused, due: nil) },
      { $0.saw(Self.name, look(hasMarker: false), age: nil, stillness: .seconds(10), now: Self.start) },
    ] as [(inout GroupCandidates) -> Void] {
      var groups = group()
      groups.saw(Self.name, look(), age: .seconds(10), stillness: .seconds(10), now: Self.start)
      #expect(groups.readyCount == 1)
      end(&groups)
      #expect(groups.readyCount == 0 && groups.takeReady() == nil)
    }
  }
}

@Suite(.slot) struct GroupTreeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func make(_ paths: [String]) throws {
    for path in paths {
      let file = URL(filePath: folder.file(path))
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(path.utf8).write(to: file)
    }
  }

  private func files(_ marker: String?) throws -> [String: Bool] {
    let tree = try GroupTree(try Directory(path: folder.path), marker: marker)
    var found: [String: Bool] = [:]
    while let file = try tree.next() { found[file.path.text] = file.isMarker }
    return found
  }

  @Test func walksFilesOnceWithTopMarker() throws {
    try make(["a", "x.done", "sub/b", "sub/x.done", "sub/deep/c", ".hidden"])
    #expect(
      try files("*.DONE") == [
        "a": false, "x.done": true, "sub/b": false, "sub/x.done": false, "sub/deep/c": false, ".hidden": false,
      ])
    let look = try GroupLook(try Directory(path: folder.path), marker: "*.done")
    #expect(look.files == 5 && look.hasMarker)
  }

  @Test func anyChangeChangesSum() throws {
    try make(["a", "sub/b"])
    let directory = try Directory(path: folder.path)
    var seen = [try GroupLook(directory, marker: nil).sum]
    #expect(try GroupLook(directory, marker: nil).sum == seen[0])
    for change in [
      { try make(["c"]) }, { try make(["sub/d"]) },
      { try Data("longer".utf8).write(to: URL(filePath: folder.file("a"))) },
    ] as [() throws -> Void] {
      try change()
      seen.append(try GroupLook(directory, marker: nil).sum)
    }
    try FileManager.default.removeItem(atPath: folder.file("sub/d"))
    seen.append(try GroupLook(directory, marker: nil).sum)
    #expect(Set(seen).count == seen.count)
  }

  @Test(arguments: ["link", "fifo"])
  func nonFileEndsWalk(kind: String) async throws {
    try make(["a", "sub/b"])
    let path = folder.file("sub/strange")
    try await Command.require(kind == "link" ? ["ln", "-s", "/etc/passwd", path] : ["mkfifo", path])
    #expect(throws: FileError.self) { try files(nil) }
  }
}
