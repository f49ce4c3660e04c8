import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A cleanup while storage, key or daemon come and go, and when nobody remembers its job any more.
@Suite(.slot)
struct RemoteTroubleTests {
  /// A job whose registration is refused, cancelled with `remove` while its storage is away.
  private func cancelWithoutStorage(_ rig: Rig) async throws {
    try await rig.drop("a.pdf", until: "awaiting-confirmation")
    rig.sandbox.cut()
    #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
    try await until("the gate to be closed") { try await rig.daemon.status().gates.array.first?.reason == "network" }
    #expect(try await rig.daemon.job(1).remote == "pending")
  }

  /// The storage is there again, and a person lets a probe go before its time.
  private func bringBack(_ rig: Rig) async throws -> Sandbox {
    let sandbox = try await Sandbox(in: rig.folder, port: rig.sandbox.port, log: "sandbox2")
    #expect(try await rig.daemon.waybill("resume", "--storage", "main").status == 0)
    return sandbox
  }

  @Test func retriedJobWaitsForCleanup() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      try await cancelWithoutStorage(rig)
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      let waits = try await rig.daemon.job(1)
      #expect(waits.state == "queued" && waits.step == "upload" && waits.remote == "pending")
      #expect(waits.held_by.destination == "storage.main")
      let sandbox = try await bringBack(rig)
      defer { sandbox.cut() }
      let done = try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(done.remote.isNull)
      let order = try await sandbox.state().recorded.array.compactMap(\.kind.string)
      #expect(order == ["uploads", "head", "delete", "head", "upload", "head", "register"])
    }
  }

  @Test func cleanupSurvivesExpiredJob() async throws {
    try await withRig(faults: ["register": ["status": 422]], { $0.daemonLines = [#"history = "1s""#] }) { rig in
      try await cancelWithoutStorage(rig)
      #expect(try await rig.daemon.waybill("discard", "1", "--yes").status == 0)
      try await until("the job to leave") { try await rig.daemon.jobs().isEmpty }
      #expect(try await rig.daemon.status().cleanups == 1)
      #expect(try await rig.daemon.waybill("status").output.contains("Cleanup   1 job waits for cleanup"))
      try await rig.daemon.kill()
      try await rig.daemon.start()
      let sandbox = try await bringBack(rig)
      defer { sandbox.cut() }
      try await until("the object to go") { try await sandbox.objects().isEmpty }
      #expect(try await sandbox.count("delete") == 1)
    }
  }

  @Test func refusedKeyPostponesCleanup() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      var wrong = rig.setup
      wrong.storage.secretKey = "not-the-secret"
      try wrong.writeKeys()
      #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      try await until("the gate to be closed") {
        try await rig.daemon.status().gates.array.first?.reason == "credentials"
      }
      let job = try await rig.daemon.job(1)
      #expect(job.remote == "pending" && job.cleanup.error.code == "SignatureDoesNotMatch")
      try rig.setup.writeKeys()
      try await until("it to be done by itself") { try await rig.daemon.job(1).remote == "clean" }
      #expect(try await rig.sandbox.objects().isEmpty)
    }
  }

  @Test func pausedStorageGetsNoCleanup() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("pause", "--storage", "main").status == 0)
      #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      let before = try await rig.daemon.job(1)
      #expect(before.remote == "pending" && before.cleanup.tries == 0)
      #expect(try await rig.sandbox.count("head") == 1, "of the first object that was stored")
      #expect(try await rig.daemon.waybill("resume", "--storage", "main").status == 0)
      try await until("it to be done") { try await rig.daemon.job(1).remote == "clean" }
    }
  }

  @Test func restartResumesCleanupCutByStop() async throws {
    let faults: JSONValue = ["register": ["status": 422], "delete": ["latency_ms": 600_000]]
    try await withRig(faults: faults, { $0.grace = "300ms" }) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      try await until("the removal to be in flight") { try await rig.sandbox.count("delete") == 1 }
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.sandbox.recover()
      try await rig.daemon.start()
      try await until("it to be done") { try await rig.daemon.job(1).remote == "clean" }
      #expect(try await rig.sandbox.objects().isEmpty)
    }
  }

  /// One of a group's objects may not be deleted. The others are gone by then, so the retry has to send them again.
  @Test func retriedGroupSendsWhatWasDeleted() async throws {
    try await withRig(faults: ["register": ["status": 422]], { Groups.adjust(&$0) }) { rig in
      let files = try Groups.drop(rig, "run")
      try await rig.daemon.job(named: "run", in: "awaiting-confirmation")
      let refused: JSONValue = ["statuses": [200, 403, 200], "code": "AccessDenied"]
      try await rig.sandbox.fail(["delete": refused])
      #expect(try await rig.daemon.waybill("cancel", "1", "--remove").status == 0)
      try await until("one to be left") { try await rig.daemon.job(1).remote == "object-left" }
      #expect(try await rig.sandbox.objects().count == 1, "the refusal of one does not keep the others")
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      let job = try await rig.daemon.job(named: "run", in: "registered")
      let objects = try await rig.sandbox.objects()
      for (path, data) in files {
        #expect(objects[(job.key.string ?? "") + path]?.sha256.string == (try await Bytes.sha256(data)), "\(path)")
      }
    }
  }

  /// The answer to the upload was lost, and the job ends in another way than by a cancel, or goes on without that object.
  @Test(arguments: ["discard", "release", "link"])
  func everyEndTellsOfObjectLeft(_ end: String) async throws {
    let faults: JSONValue = ["upload": ["statuses": ["cut-after"]], "head": ["status": end == "link" ? 422 : 503]]
    try await withRig(faults: faults, { $0.delays = ["50ms"] }) { rig in
      let job = try await rig.drop("a.pdf", until: end == "link" ? "awaiting-confirmation" : "aborted")
      let folder = rig.folder.appending(path: "given")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try await rig.sandbox.recover()
      let words =
        switch end {
        case "discard": ["discard", "1", "--yes"]
        case "release": ["release", "1", "--to", folder.path]
        default: ["confirm", "1", "--link", "https://elsewhere/x"]
        }
      #expect(try await rig.daemon.waybill(words).status == 0)
      if end != "link" { #expect(try await rig.daemon.waybill("resume", "--storage", "main").status == 0) }
      try await until("it to be told") {
        try await rig.daemon.job(1).history.array.contains { $0.event == "object-left" }
      }
      let now = try await rig.daemon.job(1)
      #expect(now.remote.string == (end == "link" ? nil : "object-left"))
      #expect(try await rig.sandbox.objects()[job.key.string ?? ""] != nil, "nobody has asked to remove it")
    }
  }

  /// A job that was stopped at the second step keeps its object, and says so however it ends.
  @Test func discardAtRegistrationTellsOfObject() async throws {
    try await withRig(faults: ["register": ["status": 503]]) { rig in
      try await rig.drop("a.pdf", until: "aborted")
      let discard = try await rig.daemon.waybill("discard", "1", "--yes")
      #expect(discard.status == 0 && discard.output.contains("stays at the storage"), "\(discard)")
      #expect(try await rig.daemon.job(1).remote == "object-left")
    }
  }

  /// A file of a group was sent, its answer was lost, and it is gone before the next attempt: its object is in no registration.
  @Test func goneFileOfGroupIsToldOf() async throws {
    try await withRig(
      faults: ["upload": ["statuses": ["cut-after", "cut-after"]], "head": ["status": 422]], { Groups.adjust(&$0) }
    ) { rig in
      let files = try Groups.drop(rig, "run", ["a.txt": Data("a".utf8), "b.txt": Data("b".utf8)])
      let job = try await rig.daemon.job(named: "run", in: "awaiting-confirmation")
      #expect(try await rig.sandbox.objects().count == files.count)
      let path = try #require(job.path.string)
      try FileManager.default.removeItem(atPath: path + "/b.txt")
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await rig.daemon.job(named: "run", in: "registered")
      let key = try #require(job.key.string) + "b.txt"
      try await until("it to be told") {
        try await rig.daemon.waybill("log", "--event", "object-left").output.contains(key)
      }
      try await until("no more to come") { try await rig.daemon.status().cleanups == 0 }
      #expect(try await rig.sandbox.objects().count == 2)
    }
  }
}
