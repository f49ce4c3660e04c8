import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import MessageLiterals
import Synchronization
import Testing

@testable import Spool

/// Files that their size or their name keeps in the spool, in a spool that runs.
@Suite(.slot, .bounded) struct LeftAloneTests {
  let place: Place
  let collector = Collector()

  init() throws { place = try Place() }

  private func options(
    _ sizes: SizeLimits = SizeLimits(), only: [String] = [], watch: SpoolOptions.Watch = .auto, recursive: Bool = false
  ) -> SpoolOptions {
    var options = place.options(settle: .milliseconds(20), settleUnseen: .milliseconds(20))
    (options.sizes, options.only, options.watch, options.recursive) = (sizes, only, watch, recursive)
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

  static let limits = SizeLimits(least: 3, greatest: 5)

  /// Each size on both sides of each limit, dropped by a rename and written in place, watched and polled.
  @Test(arguments: [SpoolOptions.Watch.inotify, .poll], [true, false])
  func sizeDecides(watch: SpoolOptions.Watch, moved: Bool) async throws {
    let spool = try SpoolDirectory(options(Self.limits, watch: watch))
    try await running(spool, collector) {
      for size in 0...7 {
        let text = String(repeating: "x", count: size)
        if moved { try place.drop("\(size)", text) } else { try place.write("\(size)", text) }
      }
      try await ChildProcesses.until("the others to be taken") { collector.claims.count == 3 }
      try await until(spool, ["empty": 1, "too-small": 2, "too-large": 2])
      let reasons: [FileStatus.Reason] = [
        .empty, .tooSmall, .tooSmall, .missing, .missing, .missing, .tooLarge, .tooLarge,
      ]
      for (size, reason) in reasons.enumerated() { #expect(await status(spool, "\(size)") == reason, "\(size)") }
      #expect(spool.status.untaken == 0)
    }
    #expect(Set(collector.names) == ["3", "4", "5"])
    #expect(try place.left == ["0", "1", "2", "6", "7"])
  }

  /// A file that got another size, or was replaced, is looked at again: in both directions.
  @Test(arguments: [SpoolOptions.Watch.inotify, .poll])
  func changedSizeIsJudgedAnew(watch: SpoolOptions.Watch) async throws {
    let spool = try SpoolDirectory(options(Self.limits, watch: watch))
    try await running(spool, collector) {
      for (name, text) in [
        ("grows", "x"), ("shrinks", "xxxxxx"), ("replaced", ""), ("goes", "xxxxxxxx"), ("stays", "x"),
      ] {
        try place.drop(name, text)
      }
      try await until(spool, ["empty": 1, "too-small": 2, "too-large": 2])
      let handle = try FileHandle(forWritingTo: URL(filePath: place.path + "/grows"))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data("xxx".utf8))
      try handle.close()
      try await ChildProcesses.until("the one that grows") { collector.admitted("grows") }
      let other = try FileHandle(forWritingTo: URL(filePath: place.path + "/shrinks"))
      try other.truncate(atOffset: 4)
      try other.close()
      try place.prepare(Array("new".utf8), "four")
      let isReplaced = unsafe rename(place.root + "/outside/new", place.path + "/replaced") == 0
      try #require(isReplaced)
      try FileManager.default.removeItem(atPath: place.path + "/goes")
      try await ChildProcesses.until("the others") { collector.claims.count == 3 }
      try await until(spool, ["too-small": 1])
    }
    #expect(Set(collector.names) == ["grows", "shrinks", "replaced"])
    #expect(collector.claims.allSatisfy { $0.identity.size == 4 })
  }

  /// A file whose size changes all the time: what is claimed has a size that fits, and what is refused is back under its name,
  /// with nothing left in `.waybill`.
  @Test func sizeAtClaimCounts() async throws {
    let held = try LockedSpool.open(place.options())
    let file = try place.create("f")
    try file.write(Array("four".utf8), path: "f")
    let isOver = Atomic(false)
    let writer = Thread {
      var size: off_t = 4
      while !isOver.load(ordering: .acquiring) {
        _ = ftruncate(file.number, size)
        size = 10 - size
      }
    }
    writer.start()
    defer { isOver.store(true, ordering: .releasing) }
    var (taken, refused) = (0, 0)
    for number in 0..<4000 {
      let id = JobID(high: 1, low: UInt64(number))
      switch try held.claim(FileName("f"), from: held.spool, as: id, sizes: Self.limits) {
      case .taken(let claim, _):
        taken += 1
        #expect(Self.limits.refusal(of: claim.identity.size) == nil)
        let (directory, name) = try held.claims.place(of: id, claim.dropped)
        try directory.rename(name, into: held.spool, as: Array("f".utf8))
      case .refused(let refusal):
        refused += 1
        #expect(refusal == .tooLarge)
      case .gone, .notAFile, .unseen: Issue.record("it is there")
      }
      guard try place.claimed.isEmpty, try place.left == ["f"] else {
        Issue.record("after \(number): \(try place.claimed) \(try place.left)")
        return
      }
    }
    #expect(taken > 0 && refused > 0)
    guard
      case .gone = try held.claim(FileName("none"), from: held.spool, as: .init(high: 2, low: 2), sizes: Self.limits)
    else {
      Issue.record("there is none")
      return
    }
  }

  /// What is no file is counted by scans alone. It is told soon, also if it comes after the start.
  @Test func whatIsNoFileIsToldSoon() async throws {
    let spool = try SpoolDirectory(options(watch: .inotify))
    try await running(spool, collector) {
      try await until(spool, [:])
      let path = place.path
      #expect(unsafe symlink("/nowhere", path + "/link") == 0)
      try await until(spool, ["not-a-file": 1])
      #expect(unsafe mkfifo(path + "/fifo", 0o600) == 0)
      try await until(spool, ["not-a-file": 2])
      #expect(unsafe mkdir(path + "/folder", 0o700) == 0)
      try await until(spool, ["not-a-file": 2, "directory": 1])
      #expect(unsafe symlink("/nowhere", place.root + "/outside/moved") == 0)
      #expect(unsafe rename(place.root + "/outside/moved", path + "/moved") == 0)
      try await until(spool, ["not-a-file": 3, "directory": 1])
    }
    #expect(collector.claims.isEmpty)
  }

  static let names: [(name: String, isTaken: Bool)] = [
    ("a.pdf", true), ("A.PDF", true), ("b.tif", true), ("b.tiff", false), ("c.txt", false), ("pdf", false),
    ("x.tmp.pdf", false), (".pdf", false), ("d.Pdf", true),
  ]

  /// The directory's name of a group.
  @Test func unmatchedGroupIsCounted() async throws {
    var options = options()
    options.group = "done"
    options.match = NamePattern(#"run\d+"#, captures: [])
    options.unmatched = .ignore
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

  /// A rename from and to names that are taken: the four of them, before and while the spool runs.
  @Test(arguments: [SpoolOptions.Watch.inotify, .poll])
  func renameIsJudgedAnew(watch: SpoolOptions.Watch) async throws {
    let spool = try SpoolDirectory(options(SizeLimits(least: 3), only: ["*.pdf"], watch: watch))
    func rename(_ from: String, _ to: String) throws {
      try Directory(path: place.path).rename(Array(from.utf8), into: Directory(path: place.path), as: Array(to.utf8))
    }
    try place.drop("early.txt")
    try await running(spool, collector) {
      try place.drop("a.txt")
      try place.drop("small.pdf", "x")
      try place.drop("tiny.pdf", "x")
      try await ChildProcesses.until("both to be left") { spool.status.waiting["too-small"] == 2 }
      try rename("a.txt", "a.pdf")
      try rename("early.txt", "late.pdf")
      try await ChildProcesses.until("both") { collector.claims.count == 2 }
      // Too small under either name, and then no longer listed.
      try rename("small.pdf", "small2.pdf")
      try await ChildProcesses.until("its new name to be known") { await status(spool, "small2.pdf") == .tooSmall }
      try rename("tiny.pdf", "tiny.txt")
      #expect(await status(spool, "tiny.txt") == .unlisted)
      try await ChildProcesses.until("one of them to count") { spool.status.waiting["too-small"] == 1 }
    }
    #expect(Set(collector.names) == ["a.pdf", "late.pdf"])
    #expect(try place.left == ["small2.pdf", "tiny.txt"])
  }

  /// A directory's name need not match, only those of the files in it.
  @Test func onlyAppliesToFilesNotDirectories() async throws {
    let spool = try SpoolDirectory(options(SizeLimits(least: 3), only: ["*.pdf"], recursive: true))
    try FileManager.default.createDirectory(atPath: place.path + "/batch/1", withIntermediateDirectories: true)
    for (name, text) in [("a.pdf", "four"), ("b.pdf", "x"), ("c.txt", "four")] {
      try place.prepare(Array(name.utf8), text)
      try FileManager.default.moveItem(atPath: place.root + "/outside/" + name, toPath: place.path + "/batch/1/" + name)
    }
    try await running(spool, collector) {
      try await ChildProcesses.until("the one") { collector.claims.count == 1 }
      try await until(spool, ["not-listed": 1, "too-small": 1])
      // The directory goes, and what was refused in it is no longer counted.
      try FileManager.default.moveItem(atPath: place.path + "/batch", toPath: place.root + "/outside/batch")
      try await ChildProcesses.until("it to be gone") { spool.status.waiting["too-small"] == nil }
    }
    #expect(collector.claims.map(\.dropped.text) == ["batch/1/a.pdf"])
  }

  /// The question who has a file open opens it. That is no reason to look at a file again that its size keeps, whenever the spool came.
  @Test func refusedFilesRestInLateSpool() async throws {
    let options = options(Self.limits)
    try FileManager.default.removeItem(atPath: place.path)
    let refusal = SpoolProblem(options, .missing, "it is not there yet", remedy: "make it")
    let spool = SpoolDirectory(options, refusal: refusal)
    try await running(spool, collector) {
      try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: false)
      try await ChildProcesses.until("the spool to be there") { spool.status.isPresent }
      for size in 0...6 { try place.drop("\(size)", String(repeating: "x", count: size)) }
      try await ChildProcesses.until("the others to be taken") { collector.claims.count == 3 }
      try await until(spool, ["empty": 1, "too-small": 2, "too-large": 1])
      for _ in 0..<20 {
        #expect(await status(spool, "1") == .tooSmall)
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(spool.status.waiting == ["empty": 1, "too-small": 2, "too-large": 1])
    }
  }

  /// With no room for claims the files are counted by a walk, which counts only those that are to be taken.
  @Test func waitingCountExcludesRefusedFiles() async throws {
    let collector = Collector(room: 0)
    let spool = try SpoolDirectory(options(Self.limits, only: ["*.pdf"]))
    for size in 0...6 { try place.drop("\(size).pdf", String(repeating: "x", count: size)) }
    try place.drop("4.txt", "xxxx")
    try await running(spool, collector) {
      try await ChildProcesses.until("the count") { spool.status.untaken == 3 }
      collector.free.store(10, ordering: .relaxed)
      try await ChildProcesses.until("all") { collector.claims.count == 3 }
      try await until(spool, ["not-listed": 1, "empty": 1, "too-small": 2, "too-large": 1])
    }
  }
}
