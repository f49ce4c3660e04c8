import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import Seams
import Synchronization
import Testing
@testable import Spool

@Suite(.slot, .bounded) struct IntakeTests {
  let place: Place
  let collector = Collector()

  init() throws { place = try Place() }

  /// Each file comes while the run goes from the one before to its sleep. The admissions end on other threads, as the
  /// ledger's do, and no later event helps one that was not seen. With `WAYBILL_TEST_ALL=1` ten times as many: each takes turns of
  /// threads that other tests want too.
  @Test func claimsFileArrivingBeforeSleep() async throws {
    let spool = try SpoolDirectory(place.options())
    collector.hooks.beforeAdmission = { await Task.detached {}.value }
    let count = ProcessInfo.processInfo.environment["WAYBILL_TEST_ALL"] == nil ? 300 : 3000
    let names = (0..<count).map { "\($0).pdf" }
    for name in names { try place.prepare(Array(name.utf8)) }
    try await running(spool, collector) {
      for name in names {
        try place.moveIn(Array(name.utf8))
        try await until("\(name) to be taken", every: .microseconds(20)) { try !place.left.contains(name) }
      }
      try await until("the last to be claimed") { collector.claims.count == names.count }
    }
    #expect(collector.names == names)
  }

  @Test func metadataTravelsWithFile() async throws {
    try place.prepare(Array("m".utf8))
    // Each is closed before it is moved in: a lease tells that somebody writes.
    do {
      let file = try Directory(path: place.root + "/outside").create(Array("n".utf8), permissions: 0o600)
      try file.write(Array("content".utf8), path: "n")
      try file.setAttribute("user.waybill.invoice", Array("4711".utf8), path: "n")
      try file.setAttribute("user.mime_type", Array("text/plain".utf8), path: "n")
      try file.setAttribute("user.private", [1], path: "n")
      let big = try Directory(path: place.root + "/outside").create(Array("big".utf8), permissions: 0o600)
      try big.write(Array("content".utf8), path: "big")
      for index in 0..<70 { try big.setAttribute("user.waybill.k\(index)", [1], path: "big") }
    }
    let spool = try SpoolDirectory(place.options())
    try await running(spool, collector) {
      for name in ["m", "n", "big"] { try place.moveIn(Array(name.utf8)) }
      try await until("all to be claimed") { collector.claims.count == 3 }
    }
    let attributes = Dictionary(uniqueKeysWithValues: collector.claims.map { ($0.name.text, $0.attributes) })
    #expect(attributes["m"] == [:])
    #expect(
      attributes["n"] == ["user.waybill.invoice": Array("4711".utf8), "user.mime_type": Array("text/plain".utf8)])
    #expect(attributes["big"]?.count == Claim.attributeCount)
    #expect(collector.problems.map(\.cause) == [.attributes])
  }

  /// How many files wait is known without their names.
  @Test func countsFilesWaitingForRoom() async throws {
    collector.free.store(0, ordering: .relaxed)
    for number in 0..<280 { try place.write("early-\(number)") }
    for folder in 0..<20 {
      let path = place.path + "/\(folder)/deep"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data([1]).write(to: URL(filePath: path + "/a.pdf"))
    }
    try place.write(".hidden")
    try place.write("ignored.part")
    var options = place.options(settle: .zero, settleUnseen: .zero)
    options.recursive = true
    let spool = try SpoolDirectory(options)
    try await running(spool, collector) {
      try await until("those that were there") { spool.status.untaken == 300 }
      for number in 0..<20 { try place.drop("late-\(number)") }
      try await until("those that came") { spool.status.untaken == 320 }
      try FileManager.default.removeItem(atPath: place.path + "/late-7")
      try await until("one less") { spool.status.untaken == 319 }
      collector.free.store(10_000, ordering: .relaxed)
      try await until("all to be taken") { collector.claims.count == 319 }
      try await until("none to be left") { spool.status.untaken == 0 }
    }
  }

  @Test func failedAdmissionKeepsClaims() async throws {
    struct LedgerGone: Error {}
    let spool = try SpoolDirectory(place.options(settle: .zero, settleUnseen: .zero))
    try place.write("kept")
    collector.hooks.beforeAdmission = { throw LedgerGone() }
    await #expect(throws: LedgerGone.self) { try await spool.run(collector) }
    #expect(try spool.claimed().map(\.name.text) == ["kept"])
  }

  @Test(.needs(.shortEventQueue))
  func kernelQueueOverflowLosesNothing() async throws {
    let count = (Self.queueLength ?? 0) * 2 / 3
    let spool = try SpoolDirectory(place.options(settleUnseen: .milliseconds(50)))
    // Called on the spool's own thread: nobody reads events until all the files are made, two or three events for each.
    collector.hooks.whenWatched = { [place] in
      for index in 0..<count {
        #expect(throws: Never.self) { try place.write("f\(index)", "") }
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await #expect(throws: CancellationError.self) { try await spool.run(collector) } }
      defer { group.cancelAll() }
      try await until("all to be claimed") { collector.claims.count >= count }
    }
    #expect(collector.claims.count == count)
    #expect(collector.problems.map(\.cause) == [.overflow])
  }

  /// fs.inotify.max_queued_events, nil where it cannot be read.
  private static var queueLength: Int? {
    guard let text = try? String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8) else {
      return nil
    }
    return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  @Test func handsOverClaimsOfReturnedDirectory() async throws {
    var options = place.options()
    options.longestLook = .milliseconds(20)
    let spool = try SpoolDirectory(options)
    try await running(spool, collector) {
      try await place.drop("before", claimedBy: collector)
      try await place.takeAway(spool)
      try place.putBack()
      try await until("what was claimed to be handed over") { !collector.returned.isEmpty }
      try await place.drop("after", claimedBy: collector)
    }
    #expect(collector.returned == collector.claims.filter { $0.name.text == "before" })
  }

  @Test func findsReplacedDirectory() async throws {
    var options = place.options()
    options.longestLook = .milliseconds(20)
    let spool = try SpoolDirectory(options)
    try await running(spool, collector) {
      try await place.drop("before", claimedBy: collector)
      try await place.takeAway(spool)
      let error = #expect(throws: FileError.self) { try spool.open(collector.claims[0].id, collector.claims[0].name) }
      #expect(error?.errno == ENOENT)
      try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: false)
      try await until("the new one to be watched") { collector.watchCount == 2 }
      try await place.drop("after", claimedBy: collector)
    }
    #expect(collector.problems.map(\.cause) == [.lost])
  }

  /// A reload has made another one of the same directory, and jobs may still use the one before.
  @Test func claimsFromReturnedDirectoryAfterReload() async throws {
    var options = place.options()
    options.longestLook = .milliseconds(20)
    let first = try SpoolDirectory(options)
    try await running(first, collector) {
      try await place.drop("before", claimedBy: collector)
    }
    options.name = "renamed"
    let spool = try first.successor(options)
    let later = Collector()
    try await running(spool, later) {
      try await place.takeAway(spool)
      try place.putBack()
      try await until("what was claimed to be handed over") { later.returned == collector.claims }
    }
    let claim = try #require(collector.claims.first)
    _ = try first.open(claim.id, claim.name)
    #expect(later.problems.map(\.cause) == [.lost])
  }

  #if DEBUG
    /// No event tells of it again, and it is in no table.
    @Test func fileThatCannotBeExaminedIsTriedAgainSoon() async throws {
      var options = place.options(settle: .zero, settleUnseen: .zero)
      options.longestLook = .milliseconds(50)
      let spool = try SpoolDirectory(options)
      let calls = try #require(FailingCalls(plan: "fstatat:a.pdf:1=EIO"))
      collector.hooks.whenWatched = { calls.begin() }
      try await running(spool, collector) {
        try await until("the first scan") { spool.status.lastScan != nil }
        try place.drop("a.pdf")
        try await until("the file to be claimed") { collector.admitted("a.pdf") }
      }
      #expect(calls.hasFailed)
      #expect(collector.problems.map(\.cause) == [.scan])
    }
  #endif

  @Test func openFileWaitsThroughReload() async throws {
    try place.write("slow")
    let writer = try FileHandle(forWritingTo: URL(filePath: place.path + "/slow"))
    var options = place.options(settle: .milliseconds(10), settleUnseen: .milliseconds(50))
    let first = try SpoolDirectory(options)
    try await running(first, collector) {
      try await until("the scan") { first.status.lastScan != nil }
      try writer.write(contentsOf: Data("one".utf8))
      try await until("it to be seen") { first.status.candidates == 1 }
    }
    options.settle = .milliseconds(20)
    let second = try first.successor(options)
    let later = Collector()
    try await running(second, later) {
      try await until("another scan") { second.status.lastScan != nil }
      for number in 0..<5 {
        try await place.drop("other\(number)", claimedBy: later)
        try await Task.sleep(for: .milliseconds(30))
      }
      #expect(!later.admitted("slow") && !collector.admitted("slow"))
      try writer.close()
      try await until("slow") { later.admitted("slow") }
    }
  }
}
