import Foundation
import Jobs
import Testing

@testable import Ledger

/// The name of a ledger for those who copy it elsewhere, and the number of its life.
@Suite struct LedgerIdentityTests {
  private static func open(_ box: LedgerBox, _ body: (JobLedger) async throws -> Void = { _ in }) async throws
    -> LedgerIdentity
  {
    let ledger = try box.open()
    try await body(ledger)
    _ = try await ledger.finishRecovery(by: Caller(uid: 0, user: "test"))
    let identity = ledger.identity
    try ledger.close()
    return identity
  }

  private static func restore(_ backup: String, _ box: LedgerBox) throws {
    _ = try LedgerBackup.restore(backup, ofLedgerIn: box.directory, now: box.time.now)
    box.time.pass(.seconds(1))
  }

  @Test func ledgerKeepsIdentityAcrossStarts() async throws {
    let box = try LedgerBox()
    let first = try await Self.open(box) { _ = try await $0.admit([.sample("a.pdf")]) }
    #expect(first.generation == 1)
    #expect(JobID(first.uuid) != nil && first.uuid.dropFirst(14).first == "4")
    #expect(try await Self.open(box) == first)
    #expect(try await Self.open(try LedgerBox()).uuid != first.uuid)
  }

  @Test func eachRestoreIsNewGeneration() async throws {
    let box = try LedgerBox()
    let first = try await Self.open(box) { _ = try await $0.admit([.sample("a.pdf")]) }
    let backup = box.directory + "/backup"
    try LedgerBackup.make(ofLedgerIn: box.directory, to: backup)
    for life: Int64 in [2, 3] {
      try Self.restore(backup, box)
      let restored = try await Self.open(box)
      #expect(restored == LedgerIdentity(uuid: first.uuid, generation: life))
      #expect(try await Self.open(box) == restored)
    }
  }

  @Test(arguments: [true, false])
  func rebuiltLedgerIsNextGeneration(hasTrace: Bool) async throws {
    let box = try LedgerBox()
    let first = try await Self.open(box) { _ = try await $0.admit([.sample("a.pdf")]) }
    let path = box.directory + "/" + JobLedger.fileName
    let file = try FileHandle(forUpdating: URL(filePath: path))
    // the identity's table stays readable: its page is not the one that is damaged
    try file.seek(toOffset: 20)
    try file.write(contentsOf: [0xFF, 0xFF])
    try file.close()
    if !hasTrace { try FileManager.default.removeItem(atPath: box.directory + "/" + LedgerTrace.name) }
    let rebuilt = try await Self.open(box)
    #expect(rebuilt.uuid == first.uuid || !hasTrace)
    #expect(rebuilt.generation == (rebuilt.uuid == first.uuid ? 2 : 1))
  }

  @Test func olderCopyIsNewGeneration() async throws {
    let box = try LedgerBox()
    let files = FileManager.default
    let path = box.directory + "/" + JobLedger.fileName
    let first = try await Self.open(box) { _ = try await $0.admit([.sample("a.pdf")]) }
    try files.copyItem(atPath: path, toPath: path + ".older")
    _ = try await Self.open(box) { _ = try await $0.admit([.sample("b.pdf")]) }
    for life: Int64 in [2, 3] {
      try files.removeItem(atPath: path)
      try files.copyItem(atPath: path + ".older", toPath: path)
      let older = try await Self.open(box) { _ = try await $0.admit([.sample("c.pdf"), .sample("d.pdf")]) }
      #expect(older == LedgerIdentity(uuid: first.uuid, generation: life))
    }
  }
}
