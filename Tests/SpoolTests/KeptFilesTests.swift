import Glibc
import Jobs
import Linux
import Synchronization
import Testing

@testable import Spool

/// Files that stay open: so many in all spools together, and those that go make room.
@Suite struct KeptFilesTests {
  private let place: Place
  private let file: OpenFile

  init() throws {
    place = try Place()
    try place.prepare(Array("f".utf8))
    file = try Directory(path: place.root + "/outside").open(Array("f".utf8))
  }

  private func id(_ number: Int) -> JobID { JobID(high: 0x0193_9F5C_7B1A_7C3D, low: UInt64(number)) }

  /// Files take no more than a quarter of the descriptors, so that all else has the others.
  @Test func roomFollowsDescriptorLimit() {
    var limit = rlimit()
    #expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    #expect(KeptFiles.Room.ofProcess.most == DescriptorPlan(Int(clamping: limit.rlim_cur)).keptFiles)
    #expect(KeptFiles.Room.ofProcess.most > 0)
  }

  @Test func spoolsShareRoomForKeptFiles() throws {
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
    // a claim takes its file along to another id, and no more room
    second.keep(file, of: id(4))
    second.move(id(4), to: id(6))
    #expect(second.use(id(4)) == nil && second.use(id(6)) === file)
    #expect(second.remove(id(6)) === file && second.use(id(6)) == nil)
    // with a spool its files go
    first = nil
    for number in 1...4 { second.keep(file, of: id(number)) }
    #expect((1...4).count { second.remove(id($0)) != nil } == 3)
  }

  /// Those that wait for an attempt leave half of the room to the others, however long they wait.
  @Test func waitingFilesTakeHalfOfRoom() throws {
    let room = KeptFiles.Room(for: 6)
    let kept = KeptFiles(room)
    func keepWaiting(_ numbers: ClosedRange<Int>) {
      for number in numbers { kept.keep(file, of: id(number), isWaiting: true) }
    }
    keepWaiting(1...4)
    #expect(kept.remove(id(4)) == nil, "three of six")
    // An attempt makes room for another one that waits, until the whole room is taken.
    for number in 1...2 { #expect(kept.use(id(number)) != nil && kept.use(id(number)) != nil) }
    keepWaiting(5...7)
    #expect([5, 6, 7].map { kept.remove(id($0)) != nil } == [true, true, false])
    keepWaiting(5...6)
    kept.keep(file, of: id(8))
    kept.keep(file, of: id(9))
    #expect(kept.remove(id(9)) == nil, "six of six")
    // A file whose attempt began while it was kept is one of the others too.
    kept.keep(file, of: id(3))
    #expect(kept.remove(id(8)) != nil)
    keepWaiting(9...9)
    #expect(kept.remove(id(9)) != nil)
    // All of it is free again.
    for number in [1, 2, 3, 5, 6] { #expect(kept.remove(id(number)) != nil, "\(number)") }
    keepWaiting(1...4)
    for number in 5...8 { kept.keep(file, of: id(number)) }
    #expect((1...8).map { kept.remove(id($0)) != nil } == [true, true, true, false, true, true, true, false])
  }

  /// Claims that have waited for a minute, in a spool that is paused for example, give their places to those of another one.
  @Test func longWaitingFilesMakeRoom() throws {
    let time = Mutex(SuspendingClock.now)
    let room = KeptFiles.Room(for: 6) { time.withLock(\.self) }
    let (paused, busy) = (KeptFiles(room), KeptFiles(room))
    for number in 1...2 { paused.keep(file, of: id(number), isWaiting: true) }
    time.withLock { $0 += .seconds(30) }
    paused.keep(file, of: id(3), isWaiting: true)
    #expect(paused.use(id(2)) != nil)
    busy.keep(file, of: id(4), isWaiting: true)
    busy.keep(file, of: id(5), isWaiting: true)
    #expect(busy.remove(id(5)) == nil, "nobody has waited for a minute")
    time.withLock { $0 += .seconds(29) }
    busy.keep(file, of: id(5), isWaiting: true)
    #expect(busy.remove(id(5)) == nil, "a second too early")
    time.withLock { $0 += .seconds(1) }
    busy.keep(file, of: id(5), isWaiting: true)
    #expect(busy.remove(id(5)) == nil, "it has just looked")
    time.withLock { $0 += .seconds(10) }
    busy.keep(file, of: id(5), isWaiting: true)
    #expect(busy.use(id(5)) === file)
    // the one that is at work stays, and so does the one that has waited for less
    #expect([1, 2, 3].map { paused.remove(id($0)) != nil } == [false, true, true])
    // all of it is free again
    for number in [4, 5] { #expect(busy.remove(id(number)) != nil) }
    for number in 1...4 { busy.keep(file, of: id(number), isWaiting: true) }
    for number in 5...8 { busy.keep(file, of: id(number)) }
    #expect((1...8).map { busy.remove(id($0)) != nil } == [true, true, true, false, true, true, true, false])
  }
}
