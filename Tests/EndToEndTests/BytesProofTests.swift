import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Each registered SHA-256 is that of the object under its key, and the storage has the bytes of each file that is removed.
@Suite(.slot)
struct BytesProofTests {
  private static let (first, second) = (Data("first bytes\n".utf8), Data("other bytes\n".utf8))

  /// Registrations and objects agree, and no Idempotency-Key came with two bodies.
  private func expectAgreement(_ rig: Rig, registrations count: Int, but replaced: Int = 0) async throws {
    let objects = try await rig.sandbox.objects()
    let registrations = try rig.sandbox.registrations()
    #expect(registrations.count == count, "\(registrations)")
    #expect(Set(registrations.compactMap(\.body.id.string)).count == count, "\(registrations)")
    for body in registrations.map(\.body).dropFirst(replaced) {
      #expect(objects[body.key.string ?? ""]?.sha256 == body.sha256, "\(body): \(objects)")
    }
  }

  private func loseLedger(_ rig: Rig) async throws {
    #expect(try await rig.daemon.stop() == .exit(0))
    for file in try FileManager.default.contentsOfDirectory(atPath: rig.setup.state.path) {
      try FileManager.default.removeItem(at: rig.setup.state.appending(path: file))
    }
  }

  private func drop(_ name: String, _ data: Data, asking id: String, _ rig: Rig) async throws {
    try await rig.drop([
      .init(name: Array(name.utf8), data: Array(data), attributes: ["user.waybill.id": Array(id.utf8)])
    ])
  }

  enum Forgetting: CaseIterable { case history, loss }

  /// A file is archived and its job forgotten. It is corrected and dropped again, and its attribute comes along.
  @Test(arguments: Forgetting.allCases) func forgottenIDIsNotGivenAgain(_ forgetting: Forgetting) async throws {
    try await withRig({ setup in
      try setup.archive()
      if forgetting == .history { setup.daemonLines = ["history = \"1s\""] }
    }) { rig in
      let id = MintedID.text(1, at: .now)
      try await drop("a.pdf", Self.first, asking: id, rig)
      try await until("the first to be registered") { try await rig.sandbox.count("register") == 1 }
      try await until("the first to be archived") { try rig.filesLeft() == [] }
      switch forgetting {
      case .history: try await until("the job to leave") { try await rig.daemon.jobs().isEmpty }
      case .loss:
        try await loseLedger(rig)
        try await rig.daemon.start()
      }
      try await drop("a.pdf", Self.second, asking: id, rig)
      if forgetting == .loss {
        let job = try await rig.daemon.job(named: "a.pdf", in: "registered")
        #expect(job.id.string != id)
      }
      try await until("the second to be registered") { try await rig.sandbox.count("register") == 2 }
      try await expectAgreement(rig, registrations: 2)
      #expect(try await rig.sandbox.objects().count == 2)
    }
  }

  /// The claim of a ledger that was lost, whose object is there and may be registered: as it is, or changed meanwhile. What the backend
  /// may have been told under the job's id is not told otherwise under the same one.
  @Test(arguments: [true, false]) func lostClaimCountsByItsBytes(isChanged: Bool) async throws {
    try await withRig(faults: ["register": ["cut": "after"]], { $0.settleOpen = "100ms" }) { rig in
      try rig.drop("a.pdf", Self.first)
      let job = try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation")
      // The body has the time of the upload in seconds: the one that is made anew has another one.
      let uploaded = time(nil)
      try await until("another second") { time(nil) > uploaded }
      #expect(try await rig.sandbox.objects().count == 1)
      let uploads = try await rig.sandbox.count("upload")
      try await loseLedger(rig)
      try await rig.sandbox.recover()
      if isChanged {
        let name = try #require(try rig.filesLeft().first)
        let handle = try FileHandle(
          forWritingTo: rig.setup.spool.appending(path: ".waybill").appending(path: name))
        try handle.write(contentsOf: Self.second)
        try handle.close()
      }
      try await rig.daemon.start()
      #expect(try await rig.daemon.waybill("resume", "--recovered").status == 0)
      // The body of the lost registration is not known any more: a backend that compares bodies has a person asked.
      guard isChanged else {
        let asked = try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation")
        #expect(asked.error.status == 422 && asked.step == "register", "\(asked)")
        return try await expectAgreement(rig, registrations: 1)
      }
      let again = try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(again.id == job.id)
      #expect(try await rig.sandbox.count("upload") - uploads == 1)
      let last = try #require(try rig.sandbox.registrations().last).body
      #expect(last.id != job.id && last.replaces == job.id, "\(last)")
      try await expectAgreement(rig, registrations: 2, but: 1)
      try await until("the file to be gone") { try rig.filesLeft() == [] }
    }
  }

  /// One key for all versions: the third has the bytes of the first, whose object is gone.
  @Test(arguments: ["after = \"delete\"", "after = \"keep\""])
  func earlierVersionIsSentAgain(_ after: String) async throws {
    try await withRig({
      $0.overwrite = true
      $0.key = "{name}"
      $0.spoolLines = [after] + (after.contains("keep") ? ["scan_interval = \"300ms\""] : ["duplicates = \"skip\""])
    }) { rig in
      for (number, data) in [Self.first, Self.second, Self.first].enumerated() {
        let file = rig.setup.spool.appending(path: "a.pdf")
        if number > 0, after.contains("keep") { try FileManager.default.removeItem(at: file) }
        try rig.drop("a.pdf", data)
        try await rig.daemon.job(named: "a.pdf", in: "registered", newerThan: number)
      }
      let last = try #require(try rig.sandbox.registrations().last)
      #expect(try await rig.sandbox.objects()["a.pdf"]?.sha256 == last.body.sha256)
      #expect(try await rig.sandbox.count("upload") == 3)
      // Once more the same: the object is there.
      guard !after.contains("keep") else { return }
      try rig.drop("a.pdf", Self.first)
      #expect(try await rig.daemon.job(named: "a.pdf", in: "skipped", newerThan: 3).same_as == 3)
    }
  }

  /// An object that somebody has removed is not there, whatever was registered.
  @Test func removedObjectIsSentAgain() async throws {
    try await withRig({ $0.spoolLines = ["duplicates = \"skip\""] }) { rig in
      try rig.drop("a.pdf")
      let first = try await rig.daemon.job(named: "a.pdf", in: "registered")
      try await rig.sandbox.fail(["head": ["status": 404, "times": 1]])
      try rig.drop("b.pdf")
      try await rig.daemon.job(named: "b.pdf", in: "registered")
      try rig.drop("c.pdf")
      #expect(try await rig.daemon.job(named: "c.pdf", in: "skipped").same_as == 2)
      #expect(first.job == 1)
      try await expectAgreement(rig, registrations: 2)
    }
  }

  /// The spool gets another backend, which has been told of nothing yet: of a file that stays, and of one that has the same bytes.
  @Test(arguments: ["after = \"delete\"", "after = \"keep\""]) func otherBackendIsTold(_ after: String) async throws {
    try await withRig({
      $0.spoolLines = [after, "duplicates = \"skip\"", "scan_interval = \"300ms\""]
    }) { rig in
      try rig.drop("a.pdf")
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      let setup = rig.setup
      let second = "[backend.second]\nurl = \"\(setup.backend)\"\n"
      let spool = "[[spool]]\n"
      let other = setup.toml.replacing(
        spool, with: "\(second)\n\(spool)storage = \"main\"\nbackend = \"second\"\n")
      try await rig.reload(toml: other)
      if after.contains("keep") {
        try await rig.daemon.job(named: "a.pdf", in: "registered", newerThan: 1)
      } else {
        try rig.drop("b.pdf")
        try await rig.daemon.job(named: "b.pdf", in: "registered")
      }
      try await expectAgreement(rig, registrations: 2)
      // And back: what the first one knows is not told again.
      try await rig.reload()
      guard !after.contains("keep") else { return }
      try rig.drop("c.pdf")
      #expect(try await rig.daemon.job(named: "c.pdf", in: "skipped").same_as == 1)
    }
  }
}
