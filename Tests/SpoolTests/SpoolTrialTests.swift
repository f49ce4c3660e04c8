import ChildProcesses
import Foundation
import Jobs
import Spool
import Testing

@Suite(.slot) struct SpoolTrialTests {
  let place: Place

  init() throws { place = try Place() }

  @Test func trialOfGoodSpoolLeavesNothing() throws {
    var options = place.options()
    options.after = .archive(place.root + "/outside")
    let trial = SpoolTrial(options)
    #expect(trial.faults.isEmpty && trial.advice.isEmpty && !trial.isInUse)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
    #expect(try place.outside.isEmpty)
  }

  @Test func readsHeldSpoolWithoutChange() throws {
    let held = try SpoolDirectory(place.options())
    let trial = SpoolTrial(place.options())
    #expect(trial.isInUse && trial.faults.isEmpty)
    withExtendedLifetime(held) {}
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [".waybill"])
  }

  @Test func reportsFaultsDaemonWouldRefuse() throws {
    var options = place.options()
    options.path = place.root + "/nowhere"
    #expect(SpoolTrial(options).faults.map(\.cause) == [.missing])
    options.path = place.root + "/file"
    try Data().write(to: URL(filePath: options.path))
    #expect(SpoolTrial(options).faults.map(\.cause) == [.notADirectory])
    options = place.options()
    options.after = .archive(place.root + "/nowhere")
    #expect(SpoolTrial(options).faults.map(\.cause) == [.archive])
    try FileManager.default.createDirectory(atPath: place.path + "/.waybill", withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: place.path + "/.waybill")
    #expect(SpoolTrial(place.options()).faults.map(\.cause) == [.foreign])
  }
}
