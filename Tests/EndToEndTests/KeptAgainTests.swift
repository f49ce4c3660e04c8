import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files that stay where they are (`after = "keep"`), and whose jobs a person tries again, or an interruption does: each is sent once.
@Suite(.slot)
struct KeptAgainTests {
  private func withKept(
    faults: JSONValue, inParts: Bool = false, _ body: (Rig) async throws -> Void
  ) async throws {
    try await withRig(
      faults: faults,
      {
        $0.spoolLines = ["after = \"keep\"", "scan_interval = \"1s\""]
        if inParts { $0.sendInParts() }
        $0.settleOpen = "200ms"
      }, body)
  }

  private func touch(_ rig: Rig, _ year: Int) async throws {
    try await Command.require(["touch", "-d", "\(year)-01-01", rig.setup.spool.appending(path: "a.jpg").path])
  }

  private func states(_ rig: Rig) async throws -> [String: Int] {
    Dictionary(grouping: try await rig.daemon.jobs()) { $0.state.string ?? "" }.mapValues(\.count)
  }

  /// Three jobs of one file, of which a person stops two, tries them again while the third asks, and then stops that one.
  @Test func retriedJobsSendTheFileOnce() async throws {
    try await withKept(faults: ["upload": ["status": 422]]) { rig in
      try rig.drop("a.jpg")
      for number in 1...3 {
        try await until("job \(number) to ask") {
          try await rig.daemon.jobs().filter { $0.state == "awaiting-confirmation" }.map(\.job.int) == [number]
        }
        if number == 3 { break }
        #expect(try await rig.daemon.waybill("cancel", "\(number)").status == 0)
        try await touch(rig, 2000 + number)
      }
      try await rig.sandbox.recover()
      for number in 1...2 { #expect(try await rig.daemon.waybill("retry", "\(number)").status == 0) }
      try await until("both to wait") { try await states(rig) == ["deferred": 2, "awaiting-confirmation": 1] }
      for number in 1...2 { #expect(try await rig.daemon.job(number).error.code == "file-of-another-job") }
      #expect(try await rig.daemon.waybill("cancel", "3").status == 0)
      try await until("both to be over") { try await states(rig) == ["registered": 1, "skipped": 1, "cancelled": 1] }
      #expect(try await rig.sandbox.objects().count == 1)
      #expect(try rig.sandbox.registrations().count == 1)
    }
  }

  /// A file whose upload in parts goes on after a failure is known by its bytes like any other.
  @Test func fileSentInTwoTriesIsKnown() async throws {
    try await withKept(faults: ["part": ["statuses": [200, 422]]], inParts: true) { rig in
      try rig.drop("a.jpg", try Bytes.random(12 << 20))
      try await rig.daemon.job(named: "a.jpg", in: "awaiting-confirmation")
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await rig.daemon.job(named: "a.jpg", in: "registered")
      #expect(try await rig.sandbox.count("create") == 1)
      try await touch(rig, 2001)
      let touched = try await rig.daemon.job(named: "a.jpg", in: "skipped", newerThan: 1)
      #expect(touched.same_as == 1)
      #expect(try await rig.sandbox.objects().count == 1)
      #expect(try rig.sandbox.registrations().count == 1)
    }
  }

  /// While an upload in parts waits, another card comes with a file of that name which was sent before. It is not sent again, and nothing
  /// of the upload is left at the storage.
  @Test func sentFileEndsPartsOfAnother() async throws {
    try await withKept(faults: ["part": ["statuses": [200, 200, 200, 200, 422]]], inParts: true) { rig in
      let spool = rig.setup.spool
      let (first, second) = (rig.folder.appending(path: "first"), rig.folder.appending(path: "second"))
      try rig.drop("a.jpg", try Bytes.random(12 << 20))
      try await rig.daemon.job(named: "a.jpg", in: "registered")
      try await rig.daemon.nextScan()
      try FileManager.default.moveItem(at: spool.appending(path: "a.jpg"), to: first)
      try rig.drop("a.jpg", try Bytes.random(13 << 20))
      try await rig.daemon.job(named: "a.jpg", in: "awaiting-confirmation", newerThan: 1)
      #expect(try await rig.sandbox.state().uploads.array.count == 1)
      try await rig.sandbox.recover()
      try FileManager.default.moveItem(at: spool.appending(path: "a.jpg"), to: second)
      try FileManager.default.moveItem(at: first, to: spool.appending(path: "a.jpg"))
      #expect(try await rig.daemon.waybill("confirm", "2").status == 0)
      let job = try await rig.daemon.job(named: "a.jpg", in: "skipped", newerThan: 1)
      #expect(job.same_as == 1)
      try await until("the parts to be gone") { try await rig.sandbox.state().uploads == [] }
      #expect(try await rig.sandbox.objects().count == 1)
      #expect(try rig.sandbox.registrations().count == 1)
    }
  }
}
