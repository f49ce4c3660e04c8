import ChildProcesses
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Harness

/// Daemons that share a spool, under load, while the one that holds it is killed, stopped or loses its lock, in turns.
/// `make torture-failover MINUTES=5 SEED=4` has it go on for longer, or make the choices of an earlier run.
@Suite(.slot) struct FailoverTortureTests {
  private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  private static let seconds = number("WAYBILL_TEST_FAILOVER") ?? 20

  @Test(arguments: FailoverKind.allCases)
  func booksOfAllHostsBalance(kind: FailoverKind) async throws {
    try await torture(kind, on: nil)
  }

  /// The same on a file system that answers EIO after a lost lock, has no rename without replacing, and is slow.
  @Test(.needs(.fuse))
  func booksBalanceDespiteLostLocks() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let disk = try await FickleDisk("fickle", in: folder.url)
    do {
      try await torture(.file, on: disk)
    } catch {
      await disk.unmount()
      throw error
    }
    await disk.unmount()
  }

  private func torture(_ kind: FailoverKind, on disk: FickleDisk?) async throws {
    let seed = Self.number("SEED").map { UInt64(truncatingIfNeeded: $0) } ?? Seeds.run
    print("failover torture: \(kind), SEED=\(seed), \(Self.seconds) s")
    try await withHosts(3) { setup in
      kind.adjust(&setup)
      if let disk { setup.spoolFolder = disk.url.appending(path: "spool") }
      setup.spoolLines += ["scan_interval = \"200ms\""]
      setup.delays = ["100ms", "300ms", "1s"]
      setup.grace = "1s"
    } _: { hosts in
      let run = FailoverTorture(hosts, kind, seed: seed, seconds: Self.seconds, disk: disk)
      try await withThrowingTaskGroup { group in
        group.addTask { try await run.drop() }
        group.addTask { try await run.disturb() }
        group.addTask { try await run.cancel() }
        try await group.waitForAll()
      }
      try await run.settle()
      let faults =
        try await hosts.faults(run.dropped, kind: kind, stopped: run.stopped, uncertain: run.uncertain)
        + run.faultsOfLedgers()
      #expect(faults == [], "SEED=\(seed): \(run.disturbances)")
      print("failover torture: \(run.dropped.count) files, \(run.stopped.count) stopped, \(run.disturbances)")
    }
  }
}

/// One run of it, with its books.
private final class FailoverTorture: Sendable {
  private struct Books {
    var dropped: [String] = []
    var stopped: Set<String> = []
    /// Those that somebody wanted to stop: the answer was lost, or they had been uploaded by then and may be registered.
    var uncertain: Set<String> = []
    var disturbances: [String: Int] = [:]
    var isOver = false
  }

  private let hosts: Hosts
  private let kind: FailoverKind
  private let seed: UInt64
  private let seconds: Int
  private let disk: FickleDisk?
  private let books = Mutex(Books())

  init(_ hosts: Hosts, _ kind: FailoverKind, seed: UInt64, seconds: Int, disk: FickleDisk?) {
    (self.hosts, self.kind, self.seed, self.seconds, self.disk) = (hosts, kind, seed, seconds, disk)
  }

  var dropped: [String] { books.withLock { $0.dropped } }
  var stopped: Set<String> { books.withLock { $0.stopped } }
  var uncertain: Set<String> { books.withLock { $0.uncertain } }
  var disturbances: [String: Int] { books.withLock { $0.disturbances } }
  private var isOver: Bool { books.withLock { $0.isOver } }

  /// The number of files that may wait in the spool. On the slow file system each file costs four waits of 10 ms in one directory,
  /// one after the other, and each list of the spool is made name by name. Dropped without limit, the files of a minute would take
  /// several to come to their end.
  private static let mostWaiting = 100

  func drop() async throws {
    var number = 0
    while !isOver {
      if try waiting().count > Self.mostWaiting {
        try await Task.sleep(for: .milliseconds(100))
        continue
      }
      for _ in 0..<5 {
        number += 1
        let name = "\(number).pdf"
        // In the books first: a fault would be one that is there and not in them.
        books.withLock { $0.dropped.append(name) }
        try kind.drop(hosts.rig, name)
      }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  /// Cancels jobs that are not uploaded yet, now and then, at whatever host holds the spool.
  func cancel() async throws {
    while !isOver {
      try await Task.sleep(for: .milliseconds(700))
      guard let holder = await hosts.holder() else { continue }
      let daemon = hosts.daemons[holder]
      guard
        let job = try? await daemon.control("GET", "/v1/jobs?step=upload&state=queued&limit=1").json.jobs.array.first,
        let number = job.job.int, let name = job.name.string
      else { continue }
      let answer = try? await HTTPAnswer.call(
        "POST", "http://localhost/v1/jobs/\(number)/cancel", body: "{}", options: ["--unix-socket", daemon.socket],
        within: 10)
      let isStopped = answer?.status == 200 && (try? answer?.json.step.string) == "upload"
      books.withLock { _ = isStopped ? $0.stopped.insert(name) : $0.uncertain.insert(name) }
    }
  }

  /// Takes the spool away from its holder, in one way or another, again and again.
  func disturb() async throws {
    var random = SplitMix64(seed: seed)
    defer { books.withLock { $0.isOver = true } }
    for daemon in hosts.daemons { try daemon.launch() }
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      guard let holder = try? await until("a holder", { await hosts.holder() }) else {
        throw Missing("nobody holds the spool: \(try hosts.daemons.map { try $0.errorText.suffix(600) })")
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: 200...2500, using: &random)))
      for daemon in hosts.daemons {
        if let ending = try daemon.child().ending() {
          throw Missing("a daemon has ended by itself: \(ending): \(try daemon.errorText.suffix(600))")
        }
      }
      let daemon = hosts.daemons[holder]
      let kind = ["kill", "kill", "zombie", "zombie", "lock", "all", "stop"].randomElement(using: &random) ?? "kill"
      books.withLock { $0.disturbances[kind, default: 0] += 1 }
      switch kind {
      case "kill":
        try await daemon.kill()
        if Bool.random(using: &random) {
          _ = try await until("another", { await hosts.holder() })
        }
        try daemon.launch()
      case "zombie":
        kill(try daemon.pid, SIGSTOP)
        try await takeLockAway()
        _ = try await until("a successor") { await hosts.holder() }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...1500, using: &random)))
        kill(try daemon.pid, SIGCONT)
      case "lock": try await takeLockAway()
      case "stop":
        _ = try await daemon.stop()
        try daemon.launch()
      default:
        for daemon in hosts.daemons { try await daemon.kill() }
        for daemon in hosts.daemons { try daemon.launch() }
      }
    }
  }

  private func takeLockAway() async throws {
    if let disk { try await disk.loseLock() } else { try? hosts.takeLockAway() }
  }

  private func waiting() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: hosts.rig.setup.spool.path).filter { !$0.hasPrefix(".") }
  }

  /// Waits until every file has come to its end, with all hosts awake: for as long as files do.
  func settle() async throws {
    var (left, isSettled) = (Int.max, false)
    do {
      while !isSettled {
        (left, isSettled) = try await until(
          "a file to come to its end", every: .milliseconds(500)
        ) {
          let waiting = try waiting()
          let claimed = try hosts.namesInClaims().filter { $0.contains("~") }
          let (stopped, maybe) = (self.stopped, self.stopped.union(self.uncertain))
          let jobs = try await hosts.stoppedAtTheHolder()
          let isSettled =
            waiting.isEmpty && claimed.allSatisfy { name in maybe.contains { name.hasSuffix("~" + $0) } }
            && stopped.allSatisfy { name in claimed.contains { $0.hasSuffix("~" + name) } } && claimed.count == jobs
          let count = waiting.count + claimed.count
          return isSettled || count < left ? (count, isSettled) : nil
        }
      }
    } catch {
      var words = """
        \(error); SEED=\(seed), \(disturbances); \(dropped.count) dropped; in the spool: \(try waiting().prefix(20)); \
        left: \(try hosts.namesInClaims().prefix(20)); stopped: \(stopped.sorted()); uncertain: \(uncertain.sorted()); \
        stopped at the holder: \(try await hosts.stoppedAtTheHolder());
        """
      for daemon in hosts.daemons {
        words += (try? await daemon.waybill("status").output) ?? "no answer"
        words += (try? await daemon.waybill("list", "--limit", "5", "--state", "awaiting-confirmation").output) ?? ""
      }
      throw Missing(words)
    }
    // A host that was stopped while others ended its files learns only now that they are theirs.
    _ = try await until("every host to know what became of its files") {
      var unfinished = 0
      for daemon in hosts.daemons {
        unfinished += try await daemon.jobs().count {
          !["registered", "moved", "cancelled"].contains($0.state.string ?? "")
        }
      }
      return unfinished == 0
    }
  }

  /// What the ledgers do not explain: each file is registered in one of them at least, and stopped ones in none.
  func faultsOfLedgers() async throws -> [String] {
    var registered: Set<String> = []
    var others: [String: Set<String>] = [:]
    for daemon in hosts.daemons {
      for job in try await daemon.jobs() {
        let (name, state) = (job.name.string ?? "", job.state.string ?? "")
        if state == "registered" { registered.insert(name) } else { others[name, default: []].insert(state) }
      }
    }
    let maybe = uncertain.filter { others[$0]?.contains("cancelled") == true }
    let unexplained = dropped.filter { !stopped.contains($0) && !maybe.contains($0) && !registered.contains($0) }
    var faults = unexplained.map { "no ledger has \($0) as registered: \(others[$0] ?? [])" }
    faults += stopped.intersection(registered).map { "a ledger has \($0) as registered, which was stopped" }
    for (name, states) in others where !states.isSubset(of: ["moved", "cancelled"]) {
      faults.append("\(name) is \(states) in the end")
    }
    return faults
  }
}
