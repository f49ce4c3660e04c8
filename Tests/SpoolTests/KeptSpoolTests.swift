import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import Messages
import Synchronization
import Testing

@testable import Spool

@Suite(.slot, .bounded) struct KeptSpoolTests {
  let place: Place
  let collector = Collector()
  let list = SentList()

  init() throws {
    place = try Place()
    collector.hooks.list = list
  }

  private func facts(_ path: String = "") throws -> FileFacts { try FileFacts(following: place.path + path) }

  private func fill(_ count: Int) throws {
    for number in 0..<count { try place.write("\(number).jpg", "photo \(number)") }
  }

  @Test func claimLeavesFileUntouched() async throws {
    try place.write("a.jpg", "photo")
    let (file, folder) = (try facts("/a.jpg"), try facts())
    let spool = try SpoolDirectory(place.keeping())
    try await running(spool, collector) {
      try await until("a.jpg to be taken") { collector.admitted("a.jpg") }
    }
    let claim = try #require(collector.claims.first)
    #expect(collector.claims.count == 1)
    #expect(try facts("/a.jpg") == file && facts() == folder)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["a.jpg"])
    let reference = ClaimReference(claim.id, claim.dropped, .inPlace)
    #expect(spool.path(reference).text == place.path + "/a.jpg")
    #expect(try spool.identity(reference) == claim.identity && claim.kept?.identity == claim.identity)
    #expect(
      try spool.open(reference).read(at: 0, count: 100) == Array("photo".utf8))
    #expect(try spool.held().stands(reference) && spool.held().hasClaim(reference))
    #expect(try spool.claimed().isEmpty)
  }

  /// A directory that nobody may write to, with files of others, as far as the tests' user can make such.
  @Test(arguments: [SpoolOptions.Watch.inotify, .poll]) func readOnlyDirectoryIsEnough(watch: SpoolOptions.Watch)
    async throws
  {
    try FileManager.default.createDirectory(atPath: place.path + "/DCIM", withIntermediateDirectories: false)
    try fill(3)
    try place.write("DCIM/b.jpg", "photo")
    for path in ["/DCIM", ""] { #expect(unsafe chmod(place.path + path, 0o1555) == 0) }
    defer { for path in ["", "/DCIM"] { _ = unsafe chmod(place.path + path, 0o755) } }
    var options = try place.keeping()
    (options.watch, options.recursive) = (watch, true)
    if watch == .poll { options.scanInterval = .milliseconds(50) }
    let before = try facts("/DCIM")
    try await running(SpoolDirectory(options), collector) {
      try await until("the files to be taken") { collector.claims.count == 4 }
    }
    #expect(collector.claims.map(\.dropped.text).sorted() == ["0.jpg", "1.jpg", "2.jpg", "DCIM/b.jpg"])
    #expect(collector.problems.filter(\.cause.lasts) == [])
    #expect(try facts("/DCIM") == before)
  }

  @Test func fileOfNewModeMeanwhileIsTaken() async throws {
    let spool = try SpoolDirectory(place.keeping())
    try await running(spool, collector) {
      try await until("the first scan") { spool.status.lastScan != nil }
      list.isHeld = true
      try place.drop("a.jpg", "photo")
      try await until("the list to be asked") { !list.asked.isEmpty }
      #expect(unsafe chmod(place.path + "/a.jpg", 0o640) == 0)
      list.isHeld = false
      try await until("a.jpg to be taken") { collector.admitted("a.jpg") }
    }
    #expect(try collector.claims.map(\.identity) == [FileIdentity(facts("/a.jpg"))])
  }

  @Test func knownFilesAreNoCandidates() async throws {
    try fill(5)
    try await running(SpoolDirectory(place.keeping()), collector) {
      try await until("the files to be taken") { collector.claims.count == 5 }
    }
    let again = Collector()
    again.hooks.list = list
    let spool = try SpoolDirectory(place.keeping())
    try await running(spool, again) {
      try await until("a scan") { spool.status.waiting == ["kept": 5] }
      #expect(spool.status.untaken == 0)
      let status = await spool.status(of: FileName("3.jpg"))
      #expect(status?.reason == .kept && status?.message == .keptAlready(job: 7))
      // One that has changed is taken, and no other.
      try place.write("more.jpg", "photo")
      let file = try FileHandle(forWritingTo: URL(filePath: place.path + "/2.jpg"))
      try file.seekToEnd()
      try file.write(contentsOf: Data("changed".utf8))
      try file.close()
      try await until("two files to be taken") { again.claims.count == 2 }
    }
    #expect(Set(again.names) == ["more.jpg", "2.jpg"])
    #expect(collector.claims.first { $0.name.text == "2.jpg" }?.kept?.epoch == again.claims.first?.kept?.epoch)
  }

  /// The daemon itself reads each file that it sends, and without leases its openings are heard.
  @Test func readingMakesNoCandidate() async throws {
    try fill(5)
    var options = try place.keeping()
    options.settleOpen = Place.never
    let spool = try SpoolDirectory(options)
    try await running(spool, collector) {
      try await until("the files to be taken") { collector.claims.count == 5 }
      for number in 0..<5 { _ = try Data(contentsOf: URL(filePath: place.path + "/\(number).jpg")) }
      try await place.drop("later.jpg", "photo", claimedBy: collector)
      let status = spool.status
      #expect(status.untaken == 0 && status.waiting.allSatisfy { $0.key == "kept" }, "\(status.waiting)")
    }
  }

  @Test func fullListLeavesFilesAndIsAProblem() async throws {
    try fill(2)
    list.answer = .full
    var options = try place.keeping()
    (options.keepFiles, options.scanInterval) = (1000, .milliseconds(100))
    let spool = try SpoolDirectory(options)
    try await running(spool, collector) {
      try await until("the problem") { collector.problems.contains { $0.cause == .keepFiles } }
      try await until("both to be counted") { spool.status.waiting == ["refused": 2] }
      #expect(await spool.status(of: FileName("1.jpg"))?.message == .keptFull(limit: 1000, path: place.path))
      // There is room again.
      list.answer = .new
      try await until("both to be taken") { collector.claims.count == 2 }
    }
    #expect(collector.problems.count { $0.cause == .keepFiles } == 1)
  }

  /// No more names are in memory than one question has, however many files there are.
  @Test func scanRestsWhileAsking() async throws {
    let count = 2 * KeptWatch.batch + 100
    try fill(count)
    list.isHeld = true
    let folder = try Directory(path: place.path)
    list.add(
      try (0..<count).map { number in
        let name = FileName("\(number).jpg")
        return KeptFile(name: name, identity: FileIdentity(try folder.facts(of: name.bytes)))
      })
    let spool = try SpoolDirectory(place.keeping())
    try await running(spool, collector) {
      try await until("the first question") { list.asked.count == 1 }
      #expect(spool.status.scans == 0)
      list.isHeld = false
      try await until("the scan to end") { spool.status.scans == 1 && list.scans == 1 }
    }
    #expect(list.asked.max() ?? 0 <= KeptWatch.batch && list.asked.reduce(0, +) >= count)
  }

  @Test func filesOfLostRootAreNotGone() async throws {
    try place.write("a.jpg", "photo")
    let held = try LockedSpool.open(place.keeping())
    let reference = ClaimReference(JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 1), FileName("a.jpg"), .inPlace)
    #expect(try held.stands(reference))
    #expect(unsafe rename(place.path, place.root + "/away") == 0)
    #expect(throws: FileError.self) { try held.stands(reference) }
    try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: false)
    #expect(throws: FileError.self) { try held.stands(reference) }
    #expect(unsafe rmdir(place.path) == 0 && rename(place.root + "/away", place.path) == 0)
    try FileManager.default.removeItem(atPath: place.path + "/a.jpg")
    #expect(try !held.stands(reference))
  }

  /// The run that waits for room notices at once that the directory is gone, and that it is back.
  @Test(arguments: [true, false]) func directoryGoesAndComesBackWithoutRoom(isKept: Bool) async throws {
    collector.free.store(0, ordering: .relaxed)
    try place.write("a.jpg", "photo")
    var options =
      isKept ? try place.keeping() : place.options(settle: .milliseconds(20), settleUnseen: .milliseconds(20))
    (options.settleOpen, options.longestLook) = (.milliseconds(20), .milliseconds(50))
    let spool = try SpoolDirectory(options)
    let away = place.root + "/away"
    try await running(spool, collector) {
      try await until("the run to wait for room") { collector.waitCount > 0 }
      #expect(unsafe rename(place.path, away) == 0)
      try await until("the loss to be noticed") { !spool.status.isPresent }
      #expect(unsafe rename(away, place.path) == 0)
      try await until("it to be back") { collector.watchCount == 2 && spool.status.isPresent }
      #expect(collector.claims.isEmpty)
      collector.free.store(10, ordering: .relaxed)
      try await until("a.jpg to be taken") { collector.admitted("a.jpg") }
    }
  }

  /// A medium can be unmounted while the spool is watched.
  @Test(arguments: [true, false]) func directoryIsNotHeldOpen(isRecursive: Bool) async throws {
    try fill(3)
    try FileManager.default.createDirectory(atPath: place.path + "/DCIM", withIntermediateDirectories: false)
    try place.write("DCIM/b.jpg", "photo")
    var options = try place.keeping()
    options.recursive = isRecursive
    let spool = try SpoolDirectory(options)
    try await running(spool, collector) {
      try await until("the files to be taken") { collector.claims.count == (isRecursive ? 4 : 3) && list.scans > 0 }
      try await until("nothing of it to be open") {
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return !open.contains { number in
          // Ignored: it is closed by now.
          let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
          return target?.hasPrefix(place.path) == true
        }
      }
      #expect(spool.status.isWatched || spool.status.scans > 0)
    }
  }

  @Test func symbolicLinkInPathIsNotFollowed() async throws {
    for folder in ["/sub", "/../outside/sub"] {
      try FileManager.default.createDirectory(atPath: place.path + folder, withIntermediateDirectories: false)
    }
    try place.write("sub/a.jpg", "photo")
    var options = try place.keeping()
    options.recursive = true
    let spool = try SpoolDirectory(options)
    try await running(spool, collector) {
      try await until("a.jpg to be taken") { collector.admitted("a.jpg") }
    }
    let claim = try #require(collector.claims.first)
    try FileManager.default.moveItem(atPath: place.path + "/sub", toPath: place.root + "/outside/own")
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/sub", withDestinationPath: place.root + "/outside/own")
    let reference = ClaimReference(claim.id, claim.dropped, .inPlace)
    let error = #expect(throws: FileError.self) { try spool.open(reference) }
    #expect(error?.errno == ELOOP)
    // Nor is a link followed, or a FIFO opened, that has the file's name.
    try FileManager.default.removeItem(atPath: place.path + "/sub")
    try FileManager.default.createDirectory(atPath: place.path + "/sub", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: place.path + "/sub/a.jpg", withDestinationPath: "/etc/passwd")
    #expect(throws: FileError.self) { try spool.open(reference) }
    try FileManager.default.removeItem(atPath: place.path + "/sub/a.jpg")
    #expect(unsafe mkfifo(place.path + "/sub/a.jpg", 0o600) == 0)
    #expect(throws: FileError.self) { try spool.open(reference) }
  }

  @Test func claimedFilesOfAnotherAfterAreNotLeftBehind() async throws {
    try place.write("a.pdf", "content")
    var options = place.options(settle: .milliseconds(5), settleUnseen: .milliseconds(5))
    options.settleOpen = .milliseconds(5)
    try await running(SpoolDirectory(options), collector) {
      try await until("a.pdf to be claimed") { collector.admitted("a.pdf") }
    }
    let problem = #expect(throws: SpoolProblem.self) { try SpoolDirectory(place.keeping()) }
    #expect(problem?.cause == .kept && problem?.message == .claimsLeft(path: place.path, count: 1))
    try FileManager.default.removeItem(atPath: place.path + "/.waybill/" + place.claimed[0])
    _ = try SpoolDirectory(place.keeping())
  }

  /// A file that was to stay where it is is not looked for in a directory whose files are taken away.
  @Test func otherDirectoryOfThatNameHasNoKeptFile() throws {
    try place.write("a.jpg", "photo")
    let reference = ClaimReference(JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 1), FileName("a.jpg"), .inPlace)
    _ = try SpoolDirectory(place.keeping()).open(reference)
    var options = place.options()
    options.after = .delete
    let spool = try SpoolDirectory(options)
    let error = #expect(throws: FileError.self) { try spool.open(reference) }
    #expect(error?.errno == ENOENT && error?.advice?.text.contains("does not keep files now") == true)
    #expect(throws: FileError.self) { try spool.identity(reference) }
    #expect(try !spool.held().hasClaim(reference))
  }

  /// The name of a mount outlives a restart of the daemon in another namespace, and not the medium, nor the machine's boot.
  @Test func mountHasAName() throws {
    let state = try Directory(path: place.root)
    func name(_ medium: String? = "8:17 5", isBack: Bool = false, boot: String? = "boot") -> String {
      LockedSpool.mountName(of: medium, noted: state, isBack: isBack, boot: boot, on: .system)
    }
    let first = name()
    #expect(name() == first)
    let second = name(isBack: true)
    #expect(second != first)
    #expect(name() == second)
    #expect(name(boot: nil) != name(boot: nil))
    #expect(name(nil) != name(nil))
    #expect(name() == second)
    let third = name(boot: "other")
    #expect(third != second)
    #expect(name(boot: "other") == third)
    var names: Set = [name("8:17 5")]
    for medium in ["8:17 6", "8:18 6", "0:45 cifs //nas/a", "0:45 cifs //nas/b", "0:45 fuse.sshfs //nas/b", ""] {
      #expect(names.insert(name(medium)).inserted, "\(medium)")
      #expect(!names.insert(name(medium)).inserted, "\(medium)")
    }
  }
}
