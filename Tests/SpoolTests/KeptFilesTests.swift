import Foundation
import Glibc
import Jobs
import Linux
import Testing

@testable import Spool

/// Files that stay open: so many in all spools together, and those that go make room.
@Suite struct KeptFilesTests {
  private func id(_ number: Int) -> JobID { JobID(high: 0x0193_9F5C_7B1A_7C3D, low: UInt64(number)) }

  /// Files take no more than a quarter of the descriptors, so that all else has the others.
  @Test func roomFollowsDescriptorLimit() {
    let limits = [(0, 0), (3, 0), (1024, 256), (8191, 2047), (8192, 2048), (1 << 20, 2048), (Int.max, 2048)]
    for (limit, most) in limits { #expect(KeptFiles.Room.most(ofDescriptors: limit) == most, "\(limit)") }
    var limit = rlimit()
    #expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    #expect(KeptFiles.Room.ofProcess.most == KeptFiles.Room.most(ofDescriptors: Int(clamping: limit.rlim_cur)))
    #expect(KeptFiles.Room.ofProcess.most > 0)
  }

  @Test func spoolsShareRoomForKeptFiles() throws {
    let place = try Place()
    try Data("content".utf8).write(to: URL(filePath: place.root + "/outside/f"))
    let file = try Directory(path: place.root + "/outside").open(Array("f".utf8))
    let room = KeptFiles.Room(for: 3)
    var first: KeptFiles? = KeptFiles(room)
    let second = KeptFiles(room)
    for number in 1...3 { first?.keep(file, of: id(number)) }
    second.keep(file, of: id(4))
    #expect(second.remove(id(4)) == nil)
    // the same job's file takes no more room
    first?.keep(file, of: id(1))
    #expect(first?.remove(id(1)) != nil)
    #expect(first?.remove(id(1)) == nil)
    second.keep(file, of: id(4))
    second.keep(file, of: id(5))
    #expect(second.remove(id(4)) != nil)
    #expect(second.remove(id(5)) == nil)
    // with a spool its files go
    first = nil
    for number in 1...4 { second.keep(file, of: id(number)) }
    #expect((1...4).count { second.remove(id($0)) != nil } == 3)
  }
}
