import ChildProcesses
import Foundation
import Jobs
import Linux
import Seams
import Spool
import Synchronization
import Testing

/// A group whose marker is not there yet is heard of when the marker comes, however many scans have gone by.
@Suite(.slot) struct GroupWatchTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test func scanKeepsWatchingGroup() async throws {
    var options = place.options(settle: .milliseconds(10), settleUnseen: .milliseconds(10))
    options.scanInterval = Place.never
    options.group = "*.done"
    let spool = try SpoolDirectory(options)
    let group = place.path + "/run"
    let first = Collector()
    try await running(spool, first) {
      try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: false)
      try await until("the group to be seen") { spool.status.names[.incomplete] == 1 && spool.status.scans == 1 }
    }
    let second = Collector()
    try await running(spool, second) {
      try await until("another scan") { spool.status.scans == 2 }
      try Data().write(to: URL(filePath: group + "/x.done"))
      try await until("the group to be claimed") { second.admitted("run") }
    }
    #expect(first.claims == [])
  }

  #if DEBUG
    /// A directory deep in it went while it was checked, of which no event tells.
    @Test func groupWithoutFolderOfItsOwnIsCheckedAgain() async throws {
      var options = place.options(settle: .milliseconds(10), settleUnseen: .milliseconds(10))
      options.scanInterval = Place.never
      options.group = "*.done"
      let spool = try SpoolDirectory(options)
      let group = place.root + "/outside/run"
      try FileManager.default.createDirectory(atPath: group + "/deep", withIntermediateDirectories: true)
      try Data().write(to: URL(filePath: group + "/x.done"))
      let calls = try #require(FailingCalls(plan: "openat:deep:1=ENOENT"))
      let collector = Collector()
      collector.hooks.whenWatched = { calls.begin() }
      try await running(spool, collector) {
        try await until("the first scan") { spool.status.lastScan != nil }
        try FileManager.default.moveItem(atPath: group, toPath: place.path + "/run")
        try await until("the group to be claimed") { collector.admitted("run") }
      }
      #expect(calls.hasFailed)
    }
  #endif

  /// It was ready and there was no room. Then somebody writes it anew.
  @Test(arguments: [true, false]) func doesNotClaimGroupBeingRewritten(
    isKeptOpen: Bool
  ) async throws {
    var options = place.options(settle: .milliseconds(10), settleUnseen: .milliseconds(50))
    options.scanInterval = Place.never
    options.group = "*.done"
    let spool = try SpoolDirectory(options)
    let group = place.path + "/run"
    let collector = Collector(room: 0)
    try await running(spool, collector) {
      try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: false)
      for name in ["a", "x.done"] { try Data().write(to: URL(filePath: group + "/" + name)) }
      try await until("it to be ready") { await spool.status(of: FileName("run"))?.reason == .ready }
      let file = try Directory(path: group).openToAppend(Array("a".utf8), permissions: 0o600)
      try file.write(Array("new".utf8), path: "a")
      if isKeptOpen {
        collector.free.store(10, ordering: .relaxed)
        try await until("it to count as open") { spool.status.names[.open] == 1 }
        #expect(collector.claims == [])
      }
      try file.write(Array(" and whole".utf8), path: "a")
      _ = consume file
      collector.free.store(10, ordering: .relaxed)
      try await until("it to be claimed") { collector.admitted("run") }
    }
    #expect(collector.claims.map(\.identity.size) == [13])
  }
}
