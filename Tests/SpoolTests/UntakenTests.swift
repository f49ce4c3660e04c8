import ChildProcesses
import Foundation
import Jobs
import Linux
import Spool
import Synchronization
import Testing

/// How many files stand in a spool that were not taken: known without their names, whatever keeps them from being taken.
@Suite(.slot, .bounded) struct UntakenTests {
  let place: Place
  let collector = Collector(room: 0)

  init() throws { place = try Place() }

  @Test func countsFilesWaitingForRoom() async throws {
    for number in 0..<300 { try place.write("early-\(number)") }
    try place.write(".hidden")
    try place.write("ignored.part")
    let spool = try SpoolDirectory(place.options(settle: .zero, settleUnseen: .zero))
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

  @Test func countsNestedFiles() async throws {
    var options = place.options(settleUnseen: .zero)
    options.recursive = true
    for folder in 0..<20 {
      try FileManager.default.createDirectory(
        atPath: place.path + "/\(folder)/deep", withIntermediateDirectories: true)
      try Data([1]).write(to: URL(filePath: place.path + "/\(folder)/deep/a.pdf"))
    }
    let spool = try SpoolDirectory(options)
    try await running(spool, collector) {
      try await until("one in each") { spool.status.untaken == 20 }
    }
  }

  @Test func settlingFileCountsAsUntaken() async throws {
    collector.free.store(10_000, ordering: .relaxed)
    let spool = try SpoolDirectory(place.options())
    try await running(spool, collector) {
      try place.write("settles")
      try place.drop("taken")
      try await until("the other to be taken") { collector.admitted("taken") }
      try await until("one to stand there") { spool.status.untaken == 1 }
    }
  }
}
