import ChildProcesses
import Foundation
import Spool
import Testing

/// A group whose marker is not there yet is heard of when the marker comes, however many scans have gone by.
@Suite(.slot) struct GroupWatchTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test func aScanThatMeetsAGroupGoesOnWatchingIt() async throws {
    var options = place.options(settle: .milliseconds(10), settleUnseen: .milliseconds(10))
    options.rescan = Place.never
    options.group = "*.done"
    let spool = try SpoolDirectory(options)
    let group = place.path + "/run"
    let first = Collector()
    try await running(spool, first) {
      try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: false)
      try await until("the group to be seen") { spool.status.incomplete == 1 && spool.status.scans == 1 }
    }
    let second = Collector()
    try await running(spool, second) {
      try await until("another scan") { spool.status.scans == 2 }
      try Data().write(to: URL(filePath: group + "/x.done"))
      try await until("the group to be claimed") { second.admitted("run") }
    }
    #expect(first.claims == [])
  }
}
