import ChildProcesses
import Foundation
import Glibc
import Linux
import Testing

@testable import Harness

/// Daemons that share a spool: one works, the others stand by and take over.
@Suite(.slot) struct FailoverTests {
  @Test func holderWorksAndStandbyNamesIt() async throws {
    try await withHosts { hosts in
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      try await a.start()
      try await hosts.untilHeld(by: 0)
      try await b.start()
      try await until("the other to know who holds the spool") {
        try await b.status().spools.array[0].holder.here == .bool(false)
      }
      let holder = try await b.status().spools.array[0].holder
      #expect(try await a.status().spools.array[0].holder.host == holder.host)
      #expect(holder.since.string != nil)
      try hosts.rig.drop("a.pdf")
      try await a.job(named: "a.pdf", in: "registered")
      #expect(try await b.jobs() == [])
      #expect(try await b.waybill("status").output.contains("stands by, held by"))
      #expect(try b.told("stands by") == 1, "it is told once")
      #expect(try await b.control("GET", "/metrics").body.contains(#"waybill_spool_held{spool="documents"} 0"#))
      #expect(try await a.control("GET", "/metrics").body.contains(#"waybill_spool_held{spool="documents"} 1"#))
      let events = try await b.waybill("log", "--json", "--since", "1h").output
      #expect(events.contains("spool-stands-by"))
      try await until("nothing to be left beside the file") { try hosts.namesInClaims() == [] }
      #expect(try await hosts.faults(["a.pdf"]) == [])
    }
  }

  /// Without `shared` a held lock is an error at start, as before: see ExclusionTests. With it, a key that only a restart
  /// changes is refused by a reload.
  @Test func sharingChangesOnlyByRestart() async throws {
    try await withRig { rig in
      var setup = rig.setup
      setup.spoolLines = ["shared = true"]
      try setup.write()
      let answer = try await rig.daemon.waybill("reload")
      #expect(answer.status != 0 && answer.errors.contains("shared"), "\(answer)")
      try await rig.drop("a.pdf", until: "registered")
    }
  }

  /// The server refuses to register, so that each has an object and no more when the holder dies.
  @Test func successorRegistersSameBytesUnlessStopped() async throws {
    try await withHosts(faults: ["register": ["status": 422]]) { hosts in
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      try await a.start()
      try await hosts.untilHeld(by: 0)
      try await b.start()
      let names = ["asks.pdf", "cancelled.pdf", "removed.pdf", "retried.pdf", "discarded.pdf"]
      for name in names {
        try hosts.rig.drop(name)
        try await a.job(named: name, in: "awaiting-confirmation")
      }
      let before = try await a.jobs()
      func number(_ name: String) -> String { "\(before.first { $0.name.string == name }?.job.int ?? 0)" }
      for name in ["cancelled.pdf", "retried.pdf", "discarded.pdf"] {
        #expect(try await a.waybill("cancel", number(name), "--reason", "not this one").status == 0)
      }
      #expect(try await a.waybill("cancel", number("removed.pdf"), "--remove", "--yes").status == 0)
      try await until("the object to be removed") {
        try await a.job(named: "removed.pdf", in: "cancelled").remote == "clean"
      }
      #expect(try await a.waybill("discard", number("discarded.pdf"), "--yes").status == 0)
      #expect(try await a.waybill("retry", number("retried.pdf")).status == 0)
      try await a.job(named: "retried.pdf", in: "awaiting-confirmation", after: "cancelled")
      let uploads = try await hosts.sandbox.count("upload")
      try await hosts.sandbox.recover()
      try await a.kill()
      try await hosts.untilHeld(by: 1)
      for name in ["asks.pdf", "retried.pdf"] {
        let job = try await b.job(named: name, in: "registered")
        #expect(job.id == before.first { $0.name.string == name }?.id)
      }
      for name in ["cancelled.pdf", "removed.pdf"] {
        let job = try await b.job(named: name, in: "cancelled")
        #expect(job.id == before.first { $0.name.string == name }?.id)
        #expect(job.history.array.contains { $0.event == "cancelled" && !$0.by_user.isNull })
      }
      #expect(try await b.newestJob(named: "discarded.pdf") == nil, "its file is gone")
      #expect(try await hosts.sandbox.count("upload") == uploads, "nothing was sent again")
      #expect(try b.told("taken over from") == 1)
      // What was stopped goes on when a person says so, with the same bytes; what was removed is sent anew.
      try await until("the cleanups to be done") { try await b.status().cleanups == 0 }
      #expect(try await b.waybill("retry", "--state", "cancelled", "--yes").status == 0)
      for name in ["cancelled.pdf", "removed.pdf"] {
        try await b.job(named: name, in: "registered", after: "cancelled")
      }
      #expect(try await hosts.sandbox.count("upload") == uploads + 1)
      try await until("nothing to be left") { try hosts.namesInClaims() == [] }
      #expect(try await hosts.faults(names, stopped: ["discarded.pdf"]) == [])

      // The first one comes back: its jobs have moved, and each is told once.
      try await a.start()
      try await until("it to stand by") { try await a.status().spools.array[0].holder.here == .bool(false) }
      for name in ["asks.pdf", "cancelled.pdf", "removed.pdf", "retried.pdf"] {
        let job = try await a.job(named: name, in: "moved", after: "awaiting-confirmation")
        #expect(job.history.array.filter { $0.event == "moved" }.count == 1)
        #expect(job.path.isNull && !job.finished_at.isNull)
      }
      let refused = try await a.waybill("retry", number("cancelled.pdf"))
      #expect(refused.status == 1 && refused.errors.contains("another host"), "\(refused)")
    }
  }

  @Test func abortedJobStaysAbortedAtSuccessor() async throws {
    try await withHosts(faults: ["upload": ["status": 503]]) { hosts in
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      try await a.start()
      try await hosts.untilHeld(by: 0)
      try hosts.rig.drop("a.pdf")
      try await a.job(named: "a.pdf", in: "aborted")
      #expect(try hosts.namesInClaims().contains { $0.hasSuffix(".stopped") })
      try await hosts.sandbox.recover()
      try await a.kill()
      try await b.start()
      try await hosts.untilHeld(by: 1)
      let job = try await b.job(named: "a.pdf", in: "aborted")
      #expect(job.error.status == 503)
      #expect(try await b.waybill("retry", "--state", "aborted").status == 0)
      try await b.job(named: "a.pdf", in: "registered", after: "aborted")
      #expect(try await hosts.faults(["a.pdf"]) == [])
    }
  }

  /// A daemon that was stopped while the lock was taken from it wakes up when another one has gone on with its files.
  @Test func wakingZombieLeavesFilesToSuccessor() async throws {
    try await withHosts(faults: ["register": ["status": 422]]) { hosts in
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      try await a.start()
      try await hosts.untilHeld(by: 0)
      for index in 1...5 { try hosts.rig.drop("\(index).pdf") }
      for index in 1...5 { try await a.job(named: "\(index).pdf", in: "awaiting-confirmation") }
      #expect(kill(try a.pid, SIGSTOP) == 0)
      try hosts.takeLockAway()
      try await b.start()
      try await hosts.untilHeld(by: 1)
      for index in 1...5 { try await b.job(named: "\(index).pdf", in: "awaiting-confirmation") }
      #expect(try await b.waybill("cancel", "1").status == 0)
      let stopped = try await b.jobs().first { $0.job.int == 1 }?.name.string ?? ""
      let requests = try await hosts.sandbox.count("register")
      #expect(kill(try a.pid, SIGCONT) == 0)
      // Whoever asks it to go on is refused, at once or when it has seen it.
      let refused = try await a.waybill("confirm", "--all", "--yes")
      #expect(try await hosts.sandbox.count("register") == requests, "\(refused)")
      try await until("it to stand by") { try await a.status().spools.array[0].holder.here == .bool(false) }
      try await until("its jobs to have moved") { try await a.count("moved") == 5 }
      try await hosts.sandbox.recover()
      #expect(try await b.waybill("confirm", "--all", "--yes").status == 0)
      try await until("the others to be registered") { try await b.count("registered") == 4 }
      try hosts.rig.drop("new.pdf")
      try await b.job(named: "new.pdf", in: "registered")
      #expect(
        try await hosts.faults((1...5).map { "\($0).pdf" } + ["new.pdf"], stopped: [stopped]) == [])
    }
  }

  /// The group was cancelled with its objects, or discarded then, and its host did not come to the objects.
  @Test(arguments: [false, true])
  func successorRemovesObjectsOfGroup(isDiscarded: Bool) async throws {
    let faults: JSONValue = ["register": ["status": 422], "delete": ["status": 500]]
    try await withHosts(faults: faults) {
      FailoverKind.group.adjust(&$0)
      $0.delays = ["200ms"]
    } _: { hosts in
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      try await a.start()
      try await hosts.untilHeld(by: 0)
      try FailoverKind.group.drop(hosts.rig, "one")
      try await a.job(named: "one", in: "awaiting-confirmation")
      #expect(try await hosts.sandbox.objects().count == 3)
      #expect(try await a.waybill("cancel", "1", "--remove", "--yes").status == 0)
      if isDiscarded { #expect(try await a.waybill("discard", "1", "--yes").status == 0) }
      try await a.kill()
      try await b.start()
      try await hosts.untilHeld(by: 1)
      let tries = try await hosts.sandbox.count("delete")
      try await until("it to be tried") { try await hosts.sandbox.count("delete") > tries }
      try await hosts.sandbox.recover()
      try await until("the objects to be gone") { try await hosts.sandbox.objects().isEmpty }
      try await until("the cleanups to be done") { try await b.status().cleanups == 0 }
      if isDiscarded { try await until("the files to be gone too") { hosts.filesLeft().isEmpty } }
      #expect(try hosts.sandbox.registrations().isEmpty)
    }
  }

  /// What its host wrote beside it cannot be read.
  @Test func brokenSidecarBlocksNothingElse() async throws {
    try await withHosts {
      FailoverKind.pair.adjust(&$0)
    } _: { hosts in
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      try await a.start()
      try await hosts.untilHeld(by: 0)
      try await a.kill()
      let id = "01939f5c-7b1a-7c3d-9e4f-0123456789ab"
      let shelf = hosts.claims.appending(path: "sidecars/{name}.json")
      for folder in [shelf, hosts.claims.appending(path: id + ".stored")] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      try Data("{}".utf8).write(to: shelf.appending(path: id + "~bad.pdf"))
      try FailoverKind.pair.drop(hosts.rig, "good.pdf")
      try await b.start()
      try await b.job(named: "good.pdf", in: "registered")
      let log = try await b.waybill("log")
      #expect(log.output.contains("bad.pdf.json, whose document is gone, is still in .waybill"), "\(log)")
      #expect(hosts.filesLeft().contains { $0.hasSuffix("~bad.pdf") }, "nobody knows if its document was sent")
    }
  }

  /// Its objects stay, and so would its files, for as long as nobody configures the storage again.
  @Test func discardedGroupIgnoresRemovedStorage() async throws {
    let faults: JSONValue = ["register": ["status": 422], "delete": ["status": 500]]
    try await withHosts(1, faults: faults) {
      FailoverKind.group.adjust(&$0)
    } _: { hosts in
      let host = hosts.daemons[0]
      try await host.start()
      try await hosts.untilHeld(by: 0)
      try FailoverKind.group.drop(hosts.rig, "one")
      try await host.job(named: "one", in: "awaiting-confirmation")
      #expect(try await host.waybill("cancel", "1", "--remove", "--yes").status == 0)
      #expect(try await host.waybill("discard", "1", "--yes").status == 0)
      let toml = hosts.rig.setup.toml.replacing("[storage.main", with: "[storage.other")
      try toml.write(to: hosts.rig.setup.config, atomically: true, encoding: .utf8)
      #expect(!hosts.filesLeft().isEmpty, "they tell a successor which objects there are")
      #expect(try await host.waybill("reload").status == 0)
      try await until("the files to be gone") { hosts.filesLeft().isEmpty }
      let log = try await host.waybill("log")
      #expect(log.output.contains("storage.main is no longer configured"), "\(log)")
      #expect(try await host.status().cleanups == 1)
      try hosts.rig.setup.write()
      #expect(try await host.waybill("reload").status == 0)
      try await hosts.sandbox.recover()
      try await until("the objects to be gone") { try await hosts.sandbox.objects().isEmpty }
    }
  }

  /// All objects are stored when the first host is gone, and a person has them removed at the second. Then the first one goes on.
  @Test(.needs(.failpoints))
  func returningHostIgnoresOldStoredRecord() async throws {
    try await withHosts(faults: ["register": ["status": 422]]) {
      FailoverKind.group.adjust(&$0)
    } _: { hosts in
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      let first = try a.launch(environment: Failpoint.recordWritten.variable())
      try await hosts.untilHeld(by: 0)
      try FailoverKind.group.drop(hosts.rig, "one")
      _ = try await first.end()
      try b.launch()
      try await hosts.untilHeld(by: 1)
      try await b.job(named: "one", in: "awaiting-confirmation")
      #expect(try await b.waybill("cancel", "1", "--remove", "--yes").status == 0)
      try await until("the objects to be gone") { try await hosts.sandbox.objects().isEmpty }
      try await until("the cleanups to be done") { try await b.status().cleanups == 0 }
      #expect(try await b.waybill("pause").status == 0)
      #expect(try await b.waybill("retry", "1").status == 0)
      try await b.kill()
      try await hosts.sandbox.recover()
      try await a.start()
      try await hosts.untilHeld(by: 0)
      try await until("it to be registered") { try !hosts.sandbox.registrations().isEmpty }
      try await until("nothing to be left of it") { hosts.filesLeft().isEmpty }
      let faults = try await hosts.faults(["one"], kind: .group)
      #expect(faults.filter { !$0.contains("two bodies") } == [], "the body after a removal is another one")
    }
  }

  /// The first host's link comes to stand beside a group while the second host still sends the same group. So it is the first one's body
  /// that is registered, and its list by which files go: one that has changed since stays, in a job of its own.
  @Test func firstStoredLinkDecidesGroup() async throws {
    try await withHosts(faults: ["register": ["status": 422]]) {
      FailoverKind.group.adjust(&$0)
      $0.waitForServers()
    } _: { hosts in
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      try await a.start()
      try await hosts.untilHeld(by: 0)
      try FailoverKind.group.drop(hosts.rig, "one")
      try await a.job(named: "one", in: "awaiting-confirmation")
      try await a.kill()
      let name = try #require(try hosts.namesInClaims().first { $0.hasSuffix(".stored") })
      let record = hosts.claims.appending(path: name)
      let first = try Self.record(changing: "a.bin", in: try String(contentsOf: record, encoding: .utf8))
      try FileManager.default.removeItem(at: record)
      // The second host finds the objects stored.
      let asked = try await hosts.sandbox.count("head")
      try await hosts.sandbox.fail(["head": ["hold": true]])
      try await b.start()
      try await hosts.untilHeld(by: 1)
      try await hosts.sandbox.receives("head", asked + 1)
      try Data(first.utf8).write(to: record)
      try await hosts.sandbox.recover()
      try await until("both to be registered") { try hosts.sandbox.registrations().count == 2 }
      let bodies = try hosts.sandbox.registrations().map(\.body)
      #expect(bodies[0].first == true, "the first host's body: \(bodies[0])")
      #expect(bodies[1].first.isNull && bodies[1].id != bodies[0].id, "\(bodies[1])")
      try await until("nothing to be left") { hosts.filesLeft().isEmpty }
      #expect(try await b.waybill("log").output.contains("was written to after job 1 had uploaded it"))
    }
  }

  /// The record of a group's link, with another body, and in the line of one of its files another time.
  private static func record(changing path: String, in text: String) throws -> String {
    var lines = text.split(separator: "\n").map(String.init)
    let found = try #require(lines[0].firstMatch(of: /"body":"([^"]+)"/))
    let body = String(decoding: try #require(Data(base64Encoded: String(found.1))), as: UTF8.self)
    let other = Data(body.replacing("{", with: #"{"first":true,"#, maxReplacements: 1).utf8).base64EncodedString()
    lines[0].replace(found.1, with: other)
    let index = try #require(lines.firstIndex { $0.contains(Data(path.utf8).base64EncodedString()) })
    let time = try #require(lines[index].firstMatch(of: /"modified":([0-9]+)/))
    lines[index].replace(time.1, with: String(try #require(Int(time.1)) - 1_000_000_000))
    return lines.map { $0 + "\n" }.joined()
  }

  /// The lock is lost, and nobody else wants it: it is taken again, and nothing has changed.
  @Test func reacquiresUncontestedLock() async throws {
    try await withHosts(1) { hosts in
      let a = hosts.daemons[0]
      try await a.start()
      try await hosts.untilHeld(by: 0)
      try hosts.rig.drop("a.pdf")
      try await a.job(named: "a.pdf", in: "registered")
      try hosts.takeLockAway()
      try await until("the loss to be told") { try a.told("not held by this host") == 1 }
      try await hosts.untilHeld(by: 0)
      try hosts.rig.drop("b.pdf")
      try await a.job(named: "b.pdf", in: "registered")
      #expect(try await a.count("moved") == 0)
      #expect(try await hosts.faults(["a.pdf", "b.pdf"]) == [])
    }
  }

  /// A large file: the successor neither completes nor leaves the parts that its predecessor sent.
  @Test func successorTakesOverMultipartUpload() async throws {
    try await withHosts(faults: ["part": ["hold": true]]) {
      $0.waitForServers()
      $0.sendInParts()
    } _: { hosts in
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      try await a.start()
      try await hosts.untilHeld(by: 0)
      try await b.start()
      try hosts.rig.drop("large.bin", Data(repeating: 7, count: 21 << 20))
      try await hosts.sandbox.receives("part")
      // The first one is stored, and the second is under way.
      try await hosts.sandbox.fail(["part": ["hold": true]])
      try await hosts.sandbox.receives("part", 2)
      try await a.kill()
      try await hosts.untilHeld(by: 1)
      try await hosts.sandbox.recover()
      try await b.job(named: "large.bin", in: "registered")
      #expect(try await hosts.faults(["large.bin"]) == [])
    }
  }
}
