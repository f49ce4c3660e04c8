import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Shared spools on a real network file system: two hosts, each with a client of CephFS of its own.
@Suite(.slot, .needs(.cephFS)) struct CephFSTests {
  /// What becomes of the host that holds the spool.
  enum Trouble: String, CaseIterable {
    /// Its daemon dies.
    case killed
    /// Its daemon is stopped, and goes on when another host has taken over.
    case stopped
    /// The file server takes all from it, while it works.
    case evicted
    /// The line to the file server is cut, and comes back when another host has taken over.
    case cut
    /// The file server is started again.
    case restarted

    /// True if the other host takes over.
    var movesSpool: Bool { self != .restarted }
  }

  /// One trouble after the other, always for the host that has the spool. Files are claimed and not done when it comes; others are
  /// dropped while it lasts, and when it is over.
  @Test(arguments: FailoverKind.allCases)
  func takesOverAfterAnyTrouble(_ kind: FailoverKind) async throws {
    try await withCephFSHosts(kind) { shared in
      for daemon in shared.hosts.daemons { try await daemon.start() }
      var dropped: [String] = []
      for trouble in Trouble.allCases {
        let begin = ContinuousClock.now
        dropped += try await meet(trouble, shared)
        #expect(try await shared.hosts.faults(dropped, kind: kind) == [], "\(trouble)")
        print("CephFS, \(kind): \(trouble) took \(ContinuousClock.now - begin)")
      }
    }
  }

  private func meet(_ trouble: Trouble, _ shared: CephFSHosts) async throws -> [String] {
    let (hosts, files) = (shared.hosts, shared.files)
    let holder = try await until("a holder") { await hosts.holder() }
    let other = 1 - holder
    let (a, b) = (hosts.daemons[holder], hosts.daemons[other])
    let before = (1...3).map { "\(trouble) before \($0)" }
    let during = (1...3).map { "\(trouble) during \($0)" }
    let after = ["\(trouble) after"]
    // So that its end, too, is one of a daemon that runs.
    defer { files.goOnAtOnce(holder) }

    try await hosts.sandbox.fail(["register": ["status": 500]])
    try await shared.drop(before, at: other)
    for name in before { try await untilStored(name, at: a) }
    try await strike(trouble, a, holder, files)
    if trouble == .cut {
      // The server gives up a client that does not answer after a while; here it is told to.
      async let dropping: Void = shared.drop(during, at: other)
      try await files.evict(holder)
      try await dropping
    } else {
      try await shared.drop(during, at: other)
    }
    if trouble == .stopped {
      #expect(await !hosts.holds(b), "its client lives, and keeps the lock")
      try await files.evict(holder)
    }
    if trouble.movesSpool { try await hosts.untilHeld(by: other) }
    try await hosts.sandbox.recover()
    for name in before + during { try await shared.untilRegistered(name, at: trouble.movesSpool ? [b] : [a, b]) }

    try await heal(trouble, a, holder, files)
    if trouble.movesSpool {
      // The one that has lost it tells of each file that it had. A registration that it had begun when it lost it, and that was
      // answered before it noticed, is its own: the other host's has the same id and body, and both count once.
      for name in before {
        let end = try await until("\(name) to be over at the host that lost it") {
          try await a.newestJob(named: name).flatMap { ["moved", "registered"].contains($0.state.string) ? $0 : nil }
        }
        let job = try await a.job(Int(end.job.int ?? 0))
        let moves = job.history.array.count { $0.event == "moved" }
        #expect(moves == (job.state == "moved" ? 1 : 0), "\(trouble), \(name): \(job.history)")
      }
    }
    try await shared.drop(after, at: holder)
    for name in after { try await shared.untilRegistered(name, at: [a, b]) }
    #expect(try await a.count("awaiting-confirmation") + b.count("awaiting-confirmation") == 0, "\(trouble)")
    return before + during + after
  }

  private func strike(_ trouble: Trouble, _ daemon: Daemon, _ host: Int, _ files: CephFS) async throws {
    switch trouble {
    case .killed: try await daemon.kill()
    case .stopped: kill(try daemon.pid, SIGSTOP)
    case .evicted: try await files.evict(host)
    case .cut: try await files.hang(host)
    case .restarted: try await files.restartMetadataServer()
    }
  }

  private func heal(_ trouble: Trouble, _ daemon: Daemon, _ host: Int, _ files: CephFS) async throws {
    switch trouble {
    case .killed: try await daemon.start()
    case .stopped: kill(try daemon.pid, SIGCONT)
    case .cut: try await files.goOn(host)
    case .evicted, .restarted: break
    }
    try await files.readmit()
  }

  /// Waits until a file is stored, and not registered.
  private func untilStored(_ name: String, at daemon: Daemon) async throws {
    try await until("\(name) to be stored") { try await daemon.newestJob(named: name)?.step == "register" }
  }

  // MARK: A file server that hangs

  /// Jobs of the shared spool are due again and again while its file server hangs: more of them than there are places. The host
  /// says how it is, and goes on with the spool on its own disk.
  @Test func hungServerStallsOnlyItsSpool() async throws {
    try await withCephFSHosts(.file) { setup in
      setup.concurrency = 4
      for host in 0...1 {
        try FileManager.default.createDirectory(
          at: setup.folder.appending(path: "local\(host)"), withIntermediateDirectories: true)
      }
      setup.furtherSpools = """
        [[spool]]
        name = "local"
        path = "\(setup.folder.path)/local@HOST@"
        key = "local/{id}/{name}"
        settle_unseen = "200ms"
        """
    } _: { shared in
      let (hosts, files) = (shared.hosts, shared.files)
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      defer { files.goOnAtOnce(0) }
      let log = try await StatusLog(in: hosts.rig.folder, control: a.socket)
      defer { log.cut() }
      try await a.start(environment: log.environment.merging(["WATCHDOG_USEC": "4000000"]) { $1 })
      try await hosts.untilHeld(by: 0)
      try await b.start()
      try await hosts.sandbox.fail(["register": ["status": 500]])
      let names = (1...12).map { "\($0).pdf" }
      try await shared.drop(names, at: 1)
      for name in names { try await untilStored(name, at: a) }

      try await files.hang(0)
      try await hosts.sandbox.recover()
      let begin = ContinuousClock.now
      let signs = try signsOfLife(log)
      var local: [String] = []
      // For as long as it takes the host to see that nobody answers, and longer.
      while ContinuousClock.now - begin < .seconds(15) {
        let name = "local \(local.count + 1).pdf"
        local.append(name)
        try hosts.rig.drop(name, in: "local0")
        try await expectAnswers(a, about: [names[0], files.mount(0).path + "/spool/1.pdf", name])
        try await Task.sleep(for: .milliseconds(500))
      }
      for name in local { try await a.job(named: name, in: "registered") }
      #expect(try signsOfLife(log) >= signs + 8, "each comes once in a second: systemd has no reason to end it")
      #expect(try await a.status().spools.array[0].holder.here == .bool(false), "nobody knows that it still holds it")
      #expect(try a.told("has not answered") == 1)
      print("CephFS: \(local.count) local files while the file server of another spool hung")

      try await files.evict(0)
      try await hosts.untilHeld(by: 1)
      for name in names { try await b.job(named: name, in: "registered") }
      try await files.goOn(0)
      try await files.readmit()
      try await shared.untilStandingBy(0)
      for name in names { try await a.job(named: name, in: "moved") }
      #expect(try a.child().ending() == nil)
      #expect(try await hosts.faults(names + local) == [])
    }
  }

  private func signsOfLife(_ log: StatusLog) throws -> Int {
    try log.messages().flatMap(\.lines.array).count { $0.string == "WATCHDOG=1" }
  }

  /// A person's commands are answered while the file server hangs.
  private func expectAnswers(_ daemon: Daemon, about names: [String]) async throws {
    for words in [["status"]] + names.map({ ["explain", $0] }) {
      let command = try await daemon.waybill(words)
      #expect(command.status == 0 || words[0] == "explain" && command.status == 1, "\(words): \(command)")
      #expect(!command.errors.contains("did not answer"), "\(words)")
    }
  }

  // MARK: Archive and release

  @Test func archivesAndReleasesOnSharedMount() async throws {
    try await withCephFSHosts(.file) {
      $0.spoolLines += ["after = \"archive\"", "archive = \"@MOUNT@/archive\""]
    } _: { shared in
      let (hosts, files) = (shared.hosts, shared.files)
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      try await a.start()
      try await hosts.untilHeld(by: 0)
      try await b.start()
      try await shared.drop(["first.pdf"], at: 1)
      try await a.job(named: "first.pdf", in: "registered")
      try await hosts.sandbox.fail(["register": ["status": 422]])
      try await shared.drop(["beside.pdf", "elsewhere.pdf", "second.pdf"], at: 1)
      let given = hosts.rig.folder.appending(path: "given")
      try FileManager.default.createDirectory(at: given, withIntermediateDirectories: true)
      for (name, folder) in [("beside.pdf", files.mount(0).path + "/released"), ("elsewhere.pdf", given.path)] {
        let number = try await a.job(named: name, in: "awaiting-confirmation").job.int ?? 0
        #expect(try await a.waybill("cancel", "\(number)").status == 0)
        let released = try await a.waybill("release", "\(number)", "--to", folder)
        #expect(released.status == 0, "\(released)")
        try await a.job(named: name, in: "discarded", after: "cancelled")
        let text = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
        #expect(text == "bytes of \(name)\n")
      }
      // The archive is the successor's to fill.
      try await a.job(named: "second.pdf", in: "awaiting-confirmation")
      try await a.kill()
      try await hosts.sandbox.recover()
      try await hosts.untilHeld(by: 1)
      try await b.job(named: "second.pdf", in: "registered")
      let archive = files.mount(1).appending(path: "archive").path
      try await until("both in the archive") {
        try FileManager.default.subpathsOfDirectory(atPath: archive).filter { $0.hasSuffix(".pdf") }.count == 2
      }
      let archived = try FileManager.default.subpathsOfDirectory(atPath: archive).filter { $0.hasSuffix(".pdf") }
      for path in archived {
        let name = String(path.split(separator: "/").last ?? "")
        #expect(try String(contentsOfFile: archive + "/" + path, encoding: .utf8).hasPrefix("bytes of "), "\(name)")
      }
      try await until("nothing to be left") {
        try FileManager.default.contentsOfDirectory(atPath: files.mount(1).path + "/spool/.waybill").allSatisfy {
          ["lock", "holder"].contains($0)
        }
      }
      #expect(
        try await hosts.faults(
          ["first.pdf", "beside.pdf", "elsewhere.pdf", "second.pdf"], stopped: ["beside.pdf", "elsewhere.pdf"]) == [])
    }
  }
}
