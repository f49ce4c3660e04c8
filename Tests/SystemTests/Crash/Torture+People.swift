import ChildProcesses
import Foundation
import Glibc
import Linux
import Seams

@testable import Harness

/// What people do: start, stop and kill the daemon, and answer it.
extension Torture {
  /// Life after life: ended by SIGKILL at a random time or at a failpoint, or by SIGTERM.
  func live() async throws {
    var chance = chance(5)
    while isOn {
      var environment: [String: String] = chance.happens(40) ? clock.variables : [:]
      let point = Failpoint.areBuilt && chance.happens(40) ? Failpoint.ofDaemon.randomElement(using: &chance) : nil
      if let point { environment.merge(point.variable(turn: chance.int(1...6))) { $1 } }
      let child = try rig.daemon.launch(environment: environment)
      let life = ContinuousClock.now + .milliseconds(chance.int(200...4000))
      while try child.ending() == nil, .now < life, isOn { try await Task.sleep(for: .milliseconds(20)) }
      let isStopped = chance.happens(25)
      child.signal(isStopped ? SIGTERM : SIGKILL)
      let end = try await child.end()
      let wasFull = takeWasFull()
      switch end {
      case .signal(SIGKILL): count(Failpoint.met(by: child) == nil ? "kills" : "failpoints")
      // asked before it could hear
      case .signal(SIGTERM) where isStopped: count("stops")
      case .exit(0) where isStopped: count("stops")
      // a ledger that could not be written for want of space says so in the end
      case .exit(74) where wasFull:
        count("ends on a full disk")
        print("torture: \(end) on a full disk: \(child.errorText.suffix(300))")
      case let end: noteFaults(["it ended (\(end)): \(child.errorText.suffix(500))"], after: "a life")
      }
      noteFaults(
        try await books.faultsAtDeath(ledger: rig.setup.state, sandboxes),
        after: "\(end) at \(point.map(\.rawValue) ?? "a random time")")
    }
  }

  /// Answers jobs at random: whatever the daemon offers, and now and then what it refuses.
  func answer() async throws {
    var chance = chance(6)
    while isOn {
      try await rest(&chance, 50...300)
      // a daemon that is dead says nothing, and one that dies says half of it; the next one will
      guard let answer = try? await rig.daemon.control("GET", "/v1/jobs?limit=1000"), answer.status == 200,
        let jobs = try? answer.json.jobs.array
      else { continue }
      let open = jobs.filter { !["registered", "discarded"].contains($0.state.string) }
      let asking = open.filter { ($0.state.string ?? "").hasPrefix("awaiting") }
      guard !open.isEmpty else { continue }
      // a question holds up all others behind it
      let job = chance.one(of: !asking.isEmpty && chance.happens(70) ? asking : open)
      let body: JSONValue = chance.happens(50) ? [:] : ["remove": true]
      let (command, words): (String, JSONValue) =
        switch job.state {
        case "aborted", "cancelled": chance.one(of: [("retry", [:]), ("retry", [:]), ("discard", [:])])
        case "queued", "active": chance.one(of: [("cancel", body), ("confirm", [:]), ("confirm", [:])])
        default: chance.one(of: [("confirm", [:]), ("confirm", [:]), ("retry", [:]), ("cancel", body)])
        }
      note(command, of: job.name.string ?? "")
      _ = try? await rig.daemon.control("POST", "/v1/jobs/\(job.job.int ?? 0)/\(command)", body: words.description)
    }
  }

  private static let targets: [JSONValue] = [
    [:], ["intake": true], ["spool": "second"], ["storage": "main"], ["backend": "other"],
  ]

  /// Pauses and resumes, lets probes go, and reloads another configuration.
  func steer() async throws {
    var chance = chance(7)
    while isOn {
      try await rest(&chance, 500...2500)
      if chance.happens(50) {
        var setup = rig.setup
        setup.concurrency = chance.int(1...32)
        setup.delays = (0..<chance.int(0...3)).map { _ in "\(chance.int(10...900))ms" }
        try setup.write()
        count("reloads")
        _ = try? await rig.daemon.control("POST", "/v1/reload", body: "{}")
      } else {
        let target = chance.one(of: Self.targets)
        count("pauses")
        _ = try? await rig.daemon.control("POST", "/v1/pause", body: target.description)
        try await rest(&chance, 100...1000)
        _ = try? await rig.daemon.control("POST", "/v1/resume", body: target.description)
      }
    }
  }

  /// Makes the world good again, has everything that is open confirmed, and comes back when nothing is left to do.
  func settle() async throws {
    for sandbox in sandboxes { try await sandbox.recover() }
    try rig.setup.write()
    try await rig.daemon.start()
    for target in Self.targets { _ = try await rig.daemon.control("POST", "/v1/resume", body: target.description) }
    do {
      try await goOnUntilAllIsOver()
    } catch let error as TimedOut {
      let open = try await rig.daemon.jobs().filter { !isOver($0) }
      throw Missing("\(error)\nopen: \(open.prefix(3))\ngates: \(try await rig.daemon.status().gates)")
    }
  }

  /// Whether nothing more will happen to a job by itself.
  private func isOver(_ job: JSONValue) -> Bool {
    switch job.state {
    case "registered", "discarded": !job.disposed_at.isNull
    case "aborted", "cancelled": job.remote != "pending"
    default: false
    }
  }

  /// The time that a daemon needs for what is owed. A release build looks for ten minutes for what nobody has heard of, from its start on.
  private static let timeForOwed: Duration =
    ProcessInfo.processInfo.environment["WAYBILL_TEST_PRODUCTS"] == nil ? .seconds(5) : .seconds(700)

  private func goOnUntilAllIsOver() async throws {
    try await until(
      "every job to come to its end", within: .seconds(300) + Self.timeForOwed * 2, every: .milliseconds(100)
    ) {
      let jobs = try await rig.daemon.jobs()
      let status = try await rig.daemon.status()
      for gate in status.gates.array { try await probe(gate.destination.string ?? "") }
      for job in jobs where (job.state.string ?? "").hasPrefix("awaiting") || job.state == "deferred" {
        _ = try await rig.daemon.control("POST", "/v1/jobs/\(job.job.int ?? 0)/confirm", body: "{}")
      }
      let isOver = jobs.allSatisfy(isOver)
      if isOver, jobs.count >= books.entries.count, status.cleanups == 0 { return true }
      // what is owed waits for longer and longer; a start makes all of it due
      if isOver, status.cleanups != 0 {
        guard try await rig.daemon.stop() == .exit(0) else { throw Missing("the daemon did not stop") }
        try await rig.daemon.start()
        do {
          try await until("what is owed to be done", within: Self.timeForOwed) {
            try await rig.daemon.status().cleanups == 0
          }
        } catch is TimedOut {
          // ignored: the server may have said no once more, and the next round begins anew
        }
      }
      return false
    }
  }

  private func probe(_ destination: String) async throws {
    let words = destination.split(separator: ".", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return }
    _ = try await rig.daemon.control(
      "POST", "/v1/resume", body: JSONValue.object([words[0]: .string(words[1])]).description)
  }
}
