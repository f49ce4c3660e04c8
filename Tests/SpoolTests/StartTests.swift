import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import Synchronization
import Testing

@testable import Spool

/// What a daemon refuses to start with, and the words that say what to do.
@Suite(.slot, .bounded) struct StartTests {
  let place: Place

  init() throws { place = try Place() }

  private func refusal(_ options: SpoolOptions? = nil) -> SpoolProblem? {
    #expect(throws: SpoolProblem.self) { try SpoolDirectory(options ?? place.options()) }
  }

  @Test func namesMissingDirectoryAndRemedy() {
    let problem = refusal(SpoolOptions(name: "docs", path: place.root + "/none"))
    #expect(problem?.cause == .missing)
    #expect(problem?.description.hasPrefix("spool docs: there is no directory \(place.root)/none; make it: ") == true)
  }

  /// A spool leaves the configuration and comes back while a request of the one before is in flight.
  @Test func lastSharerReleasesLock() throws {
    let hold: SpoolLock
    do {
      let first = try SpoolDirectory(place.options())
      hold = first.lock
      let second = try first.successor(place.options())
      withExtendedLifetime(first) {
        #expect(second.status.isPresent)
        #expect(throws: SpoolProblem.self) { _ = try SpoolDirectory(place.options()) }
      }
      withExtendedLifetime(second) {}
    }
    #expect(!hold.isUsed && SpoolDirectory(place.options(), joining: hold, on: .system) == nil)
    _ = try SpoolDirectory(place.options())
  }

  /// A daemon that says it is ready is asked at once.
  @Test func saysHowItWatchesAsSoonAsItDoes() async throws {
    let spool = try SpoolDirectory(place.options())
    let collector = Collector()
    let seen = Mutex<[[String]]>([])
    collector.hooks.whenWatched = { seen.withLock { $0.append(spool.status.readiness) } }
    try await running(spool, collector) {}
    #expect(seen.withLock { $0.map { $0.prefix(2) } } == [["renamed", "closed"]])
  }

  @Test func refusesLinkAsClaimsDirectory() throws {
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/.waybill", withDestinationPath: place.root + "/outside")
    #expect(refusal()?.cause == .foreign)
    #expect(try place.outside == [])
  }

  @Test(.needs(.otherUser)) func refusesForeignClaimsDirectory() throws {
    try FileManager.default.createDirectory(
      atPath: place.path + "/.waybill", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    #expect(unsafe chown(place.path + "/.waybill", 65_534, 65_534) == 0)
    let problem = refusal()
    #expect(problem?.cause == .foreign)
    #expect(problem?.reason.contains("belongs to user \(UserName.of(65_534)), not to user root") == true)
  }

  @Test func distinguishesKernelRefusals() {
    let table: [(Int32, SpoolProblem.Cause)] = [
      (EACCES, .rights), (EPERM, .rights), (EROFS, .readOnly), (EINVAL, .unsupported), (EXDEV, .unsupported),
      (ENOSPC, .claim), (EIO, .claim),
    ]
    for (number, cause) in table {
      let problem = LockedSpool.refused(place.options(), FileError("rename", path: "/x", errno: number))
      #expect(problem.cause == cause)
      #expect(!problem.remedy.isEmpty)
    }
  }

  /// One that is not writable for the daemon, and one whose sticky bit keeps others' files where they are.
  @Test(.needs(.otherUser)) func refusesDirectoryOfOtherOwner() async {
    await #expect(processExitsWith: .success) {
      let (closed, sticky) = (try Place(), try Place())
      #expect(unsafe chown(sticky.path, 0, 65_534) == 0 && chmod(sticky.path, 0o1777) == 0)
      #expect(unsafe chmod(sticky.root, 0o755) == 0)
      try becomeNobody(owner: 0, mode: 0o755, of: closed)
      for (place, word) in [(closed, "Permission denied (EACCES)"), (sticky, "chown \(UserName.of(65534)) ")] {
        let problem = #expect(throws: SpoolProblem.self) { try SpoolDirectory(place.options()) }
        #expect(problem?.cause == .rights && problem?.description.contains(word) == true)
      }
    }
  }

  @Test(.needs(.otherUser)) func claimsForeignFilesFromStickyDirectory() async {
    await #expect(processExitsWith: .success) {
      let place = try Place()
      try place.write("secret")
      try becomeNobody(owner: 65_534, mode: 0o3770, of: place)
      let spool = try SpoolDirectory(place.options(settleUnseen: .milliseconds(1)))
      let collector = Collector()
      try await running(spool, collector) {
        try await until("secret to be claimed") { collector.admitted("secret") }
      }
      #expect(collector.problems == [])
      let claim = collector.claims[0]
      let error = #expect(throws: FileError.self) { try spool.open(claim.id, claim.name) }
      #expect(error?.errno == EACCES)
      #expect(error?.words.contains("it belongs to user root, group root, and has mode 0600") == true)
      #expect(try spool.dispose(claim.id, claim.name, expecting: claim.identity) == .removed)
    }
  }

  @Test(.needs(.otherUser)) func failedClaimLeavesFileReportedOnce() async {
    await #expect(processExitsWith: .success) {
      let place = try Place()
      try becomeNobody(owner: 65_534, mode: 0o700, of: place)
      var options = place.options(settle: .zero, settleUnseen: .zero)
      options.scanInterval = .milliseconds(20)
      let spool = try SpoolDirectory(options)
      let collector = Collector()
      try await running(spool, collector) {
        #expect(unsafe chmod(place.path + "/.waybill", 0o500) == 0)
        for index in 0..<5 { try place.write("f\(index)") }
        try await until("it to be told") { !collector.problems.isEmpty }
        let before = try #require(spool.status.lastScan)
        try await until("it to be tried again") {
          spool.status.lastScan.map { $0 - before > Duration.milliseconds(200) } == true
        }
        #expect(collector.problems.count == 1)
        #expect(collector.problems.first?.cause == .rights)
        #expect(try place.left.count == 5)
        #expect(unsafe chmod(place.path + "/.waybill", 0o700) == 0)
        try await until("them to be claimed after all") { collector.claims.count == 5 }
      }
    }
  }

  /// A unit hides /proc/sys and passes what stood there. What nobody can tell is not reported.
  @Test func unitSettingReplacesHiddenKernelSetting() throws {
    let (hidden, passed) = (place.root + "/hidden", place.root + "/credentials")
    try FileManager.default.createDirectory(atPath: passed, withIntermediateDirectories: true)
    func protects(_ kernel: String?, _ credential: String?) throws -> Bool {
      for (path, text) in [(hidden, kernel), (passed + "/protected_hardlinks", credential)] {
        try? FileManager.default.removeItem(atPath: path)
        try text?.write(toFile: path, atomically: true, encoding: .utf8)
      }
      return KernelSetting.protectsLinks(environment: ["CREDENTIALS_DIRECTORY": passed], kernel: hidden)
    }
    #expect(try !protects(nil, "0\n") && protects(nil, "1\n") && protects(nil, "unknown") && protects(nil, nil))
    #expect(try !protects("0\n", "1\n") && protects("1\n", "0\n"), "what the kernel says now counts first")
    #expect(KernelSetting.protectsLinks(environment: [:], kernel: hidden))
  }

  /// What fs.protected_hardlinks is here is the machine's; both ways it is told only of a directory that others write in.
  @Test func warnsOfDirectoryOpenToLinks() throws {
    let held = try SpoolDirectory(place.options()).held()
    func causes(_ mode: UInt32, linksAreProtected: Bool) throws -> [SpoolProblem.Cause] {
      #expect(unsafe chmod(place.path, mode) == 0)
      return try held.warnings(place.options(), linksAreProtected: linksAreProtected).map(\.cause)
    }
    #expect(try causes(0o1777, linksAreProtected: true) == [])
    #expect(try causes(0o3770, linksAreProtected: false) == [.links])
    #expect(try causes(0o770, linksAreProtected: false) == [.exposed, .links])
    #expect(try causes(0o755, linksAreProtected: false) == [])
  }
}

/// Gives the spool an owner and mode, and goes on as user and group 65534, without any capability.
func becomeNobody(owner: UInt32, mode: UInt32, of place: Place) throws {
  struct Refused: Error {}
  // chown and the rest take C strings and lists, lent for the call.
  guard unsafe chown(place.path, owner, 65_534) == 0, unsafe chmod(place.path, mode) == 0,
    unsafe chown(place.root, 65_534, 65_534) == 0,
    setgroups(0, nil) == 0, setgid(65_534) == 0, setuid(65_534) == 0
  else { throw Refused() }
}
