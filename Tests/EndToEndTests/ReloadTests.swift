import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// A configuration that changes while the daemon runs.
@Suite(.slot)
struct ReloadTests {
  private func rewrite(_ rig: Rig, _ change: (inout DaemonSetup) -> Void) throws {
    var setup = rig.setup
    change(&setup)
    try setup.write()
  }

  private func spool(_ name: String, at folder: URL) -> String {
    """
    [[spool]]
    name = "\(name)"
    path = "\(folder.path)"
    settle_unseen = "200ms"
    storage = "main"
    backend = "main"
    """
  }

  /// The files of its jobs are in the directory, whatever the spool is called. Whom they belong to is not forgotten.
  @Test(arguments: [false, true]) func renamedSpoolResendsNothing(byRestart: Bool) async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      func use(_ toml: String) async throws {
        guard byRestart else {
          try await rig.reload(toml: toml)
          return
        }
        #expect(try await rig.daemon.stop() == .exit(0))
        try toml.write(to: rig.setup.config, atomically: true, encoding: .utf8)
        try await rig.daemon.start()
      }
      let asks = try await rig.drop("asks.pdf", until: "awaiting-confirmation")
      try await rig.drop("stopped.pdf", until: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "2").status == 0)
      let toml = rig.setup.toml
      try await use(toml.replacing("name = \"documents\"", with: "name = \"papers\""))
      let new = try await rig.drop("new.pdf", until: "awaiting-confirmation")
      #expect(new.spool == "papers")
      #expect(try await rig.daemon.jobs().count == 3, "the claimed files are jobs already")
      #expect(try await rig.sandbox.count("upload") == 3)
      let refused = try await rig.daemon.waybill("release", "2", "--to", rig.folder.path)
      #expect(refused.errors.contains("cannot be released: spool.documents is no longer configured\n"), "\(refused)")
      let kept = try await rig.daemon.waybill("discard", "2", "--yes")
      #expect(
        kept.status == 1 && kept.errors.contains("spool.documents is no longer configured, so the file"), "\(kept)")
      let all = try await rig.daemon.control("POST", "/v1/jobs/discard", body: #"{"all":true}"#)
      #expect(all.body.contains("spool.documents is no longer configured, so the file of job 2"), "\(all)")
      #expect(try await rig.daemon.job(named: "stopped.pdf", in: "cancelled").disposed_at.isNull)

      try await use(toml)
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      #expect(try await rig.daemon.job(named: "asks.pdf", in: "registered").id == asks.id)
      let back = try rig.folder.madeFolder("back")
      #expect(try await rig.daemon.waybill("release", "2", "--to", back.path).status == 0)
      #expect(try await rig.daemon.jobs().count == 3)
      #expect(try await rig.sandbox.count("upload") == 3)
    }
  }

  @Test func inFlightRequestKeepsOldConfiguration() async throws {
    let held: JSONValue = ["register": ["hold": true, "times": 1]]
    try await withRig(faults: held, { $0.waitForServers() }) { rig in
      try rig.drop("a.pdf")
      try await rig.sandbox.receives("register")
      // nobody listens there
      let changed = try await rig.reload { $0.backend = "http://127.0.0.1:9/nobody" }
      #expect(changed.output == "configuration reloaded: changed backend.main\n")
      try await rig.sandbox.recover()
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(try await rig.sandbox.count("register") == 1)
      try await rig.drop("b.pdf", until: "awaiting-network")

      // the other address is right again: nobody has to wait for the gate's time
      try await rig.reload()
      try await rig.daemon.job(named: "b.pdf", in: "registered", after: "awaiting-network")
    }
  }

  @Test func jobsOfRemovedBackendAsk() async throws {
    let down: JSONValue = ["register": ["status": 503, "retry_after": 600]]
    try await withRig(faults: down, { $0.concurrency = 1 }) { rig in
      try await rig.drop("a.pdf", until: "aborted")
      for number in 1...3 { try rig.drop("\(number).pdf") }
      try await until("three to wait for the backend") {
        try await rig.daemon.jobs().count { $0.step == "register" && $0.state == "queued" } == 3
      }
      var toml = rig.setup.toml
      toml.replace("[backend.main]", with: "[backend.other]")
      try toml.write(to: rig.setup.config, atomically: true, encoding: .utf8)
      let answer = try await rig.daemon.control("POST", "/v1/reload")
      #expect(answer.status == 200)
      let reload = try answer.json
      #expect(reload.added == ["backend.other"] && reload.removed == ["backend.main"])
      #expect(reload.changed == ["spool.documents"])
      #expect(reload.asking_count == 3 && reload.asking == [2, 3, 4], "\(reload)")
      let asking = try await rig.daemon.job(2)
      #expect(asking.state == "awaiting-confirmation" && asking.error.kind == "configuration")
      #expect(asking.question.string?.contains("backend.main is no longer configured") == true)
      #expect(try await rig.daemon.status().gates.array.isEmpty)
      let link = try await rig.daemon.waybill("confirm", "2", "--link", "https://files.example/1")
      #expect(
        link.status == 1
          && link.errors == "waybill: backend.main is no longer configured, so the link cannot be registered there\n",
        "\(link)")

      try await rig.sandbox.recover()
      try await rig.reload()
      #expect(try await rig.daemon.waybill("retry", "--state", "aborted,awaiting-confirmation").status == 0)
      try await until("all to be registered") { try await rig.daemon.count("registered") == 4 }
    }
  }

  @Test func invalidConfigurationChangesNothing() async throws {
    try await withRig(journal: Capability.journald.isThere) { rig in
      try rewrite(rig) {
        $0.concurrency = 7
        $0.spoolLines = ["prioritty = 3"]
      }
      let refused = try await rig.daemon.waybill("reload")
      #expect(refused.status == 78)
      #expect(refused.errors.contains("the old one stays"), "\(refused)")
      #expect(refused.errors.contains("spool.documents.prioritty: unknown key; did you mean \"priority\"?"))
      // one that can be read, and names a spool of another daemon
      let other = try rig.folder.madeFolder("other")
      var second = rig.setup
      (second.name, second.spoolFolder) = ("v", other)
      try second.write()
      let holder = Daemon(second)
      try await holder.start()
      try rewrite(rig) { $0.furtherSpools = spool("second", at: other) }
      let unusable = try await rig.daemon.waybill("reload")
      #expect(unusable.status == 78 && unusable.errors.contains("is in use by process"), "\(unusable)")
      #expect(try await rig.daemon.status().spools.array.map(\.name.string) == ["documents"])
      try await rig.drop("a.pdf", until: "registered")
      let problem = try await rig.daemon.control("POST", "/v1/reload")
      #expect(problem.status == 422 && problem.contentType == "application/problem+json")
      if let journal = rig.journal {
        try await until("the journal to say so") {
          try await journal.entries().contains {
            $0["MESSAGE"].string?.hasPrefix("configuration rejected; the old one stays in use:") == true
              && $0["PRIORITY"] == "3"
          }
        }
      }
    }
  }

  @Test func sighupReloadsAndLogs() async throws {
    try await withRig { rig in
      try rewrite(rig) {
        $0.concurrency = 1
        $0.daemonLines = ["history = \"2d\"", "metrics = \"\""]
        $0.stateFolder = rig.folder.appending(path: "other")
      }
      Glibc.kill(try rig.daemon.pid, SIGHUP)
      let event = try await until("the reload to be logged") {
        try await rig.daemon.control("GET", "/v1/log?event=reloaded").json.events.array.first
      }
      let words = "changed daemon.concurrency, daemon.history; only after a restart: daemon.state"
      #expect(event.message.string?.contains("configuration reloaded: \(words)") == true, "\(event)")
      try await rig.drop("a.pdf", until: "registered")
    }
  }

  @Test func reloadsDuringIntakeLoseNothing() async throws {
    try await withRig { rig in
      let second = try rig.folder.madeFolder("second")
      let count = 120
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for number in 1...count { try rig.drop("\(number).pdf") }
        }
        group.addTask {
          for turn in 0..<10 {
            try await rig.reload {
              $0.furtherSpools = turn % 2 == 0 ? spool("second", at: second) : ""
              $0.spoolLines = ["priority = \(turn)"]
              $0.settleUnseen = "\(200 + turn)ms"
            }
          }
        }
        try await group.waitForAll()
      }
      try await until("all to be registered") { try await rig.daemon.count("registered") == count }
      #expect(try await rig.sandbox.tally() == "\(count) registrations, \(count) ids, \(count) names")
      try await until("the files to go") { try rig.filesLeft().isEmpty }
    }
  }
}
