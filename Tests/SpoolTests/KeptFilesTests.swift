import Foundation
import Jobs
import LinuxFiles
import Testing

@testable import Spool

/// Files that stay open: few in all spools together, and those that go make room.
@Suite(.slot, .bounded) struct KeptFilesTests {
  private func id(_ number: Int) -> JobID { JobID(high: 0x0193_9F5C_7B1A_7C3D, low: UInt64(number)) }

  @Test func allSpoolsTogetherKeepAFewAndThoseThatGoMakeRoom() throws {
    let place = try Place()
    try Data("content".utf8).write(to: URL(filePath: place.root + "/outside/f"))
    let file = try Directory(path: place.root + "/outside").open(Array("f".utf8))
    var first: KeptFiles? = KeptFiles()
    let second = KeptFiles()
    for number in 0..<KeptFiles.limit { first?.keep(file, of: id(number)) }
    second.keep(file, of: id(0))
    #expect(second.take(id(0)) == nil)
    // the same job's file takes no more room
    first?.keep(file, of: id(0))
    #expect(first?.take(id(0)) != nil)
    #expect(first?.take(id(0)) == nil)
    second.keep(file, of: id(0))
    #expect(second.take(id(0)) != nil)
    // with its spool all go
    first = nil
    for number in 0..<KeptFiles.limit / 2 { second.keep(file, of: id(number)) }
    for number in 0..<KeptFiles.limit / 2 { #expect(second.take(id(number)) != nil) }
  }
}
