import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Writers that go on after their file was taken: a daemon of another user, with and without the right to ask who has it open.
@Suite(.slot, .needs(.testUsers, .lease))
struct LateWriterTests {
  private func withWriter(
    leases: Bool, settleUnseen: String, _ body: (Rig, _ writer: ChildProcess) async throws -> Void
  ) async throws {
    try await withRig(
      faults: ["register": ["status": 599]], users: OtherUsers(leases: leases),
      { setup in
        setup.settleUnseen = settleUnseen
        // Without a lease a file with another name waits for it.
        setup.settleOpen = "1s"
      }
    ) { rig in
      // A whole file by another name of it, which is written to later: no lease is against its claim.
      let outside = try rig.folder.madeFolder("outside")
      try await Command.require(["chown", OtherUser.dropper.name, outside.path])
      let name = outside.appending(path: "a.txt").path
      let make = #"umask 007; printf one > "$1"; chmod 0666 "$1"; ln "$1" "$2/a.txt""#
      try await Command.require(OtherUser.dropper.words(["sh", "-ec", make, "_", name, rig.setup.spool.path]))
      try await rig.daemon.job(named: "a.txt", in: "awaiting-confirmation")
      let writer = try ChildProcess(
        try await OtherUsers.dropping(["write", name]), input: .written, folder: rig.folder, log: "writer")
      try await until("the file to be open") { try await Command.run(["fuser", name]).status == 0 }
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await until("the registration") { try await rig.daemon.job(1).state == "registered" }
      try await body(rig, writer)
    }
  }

  /// A lease is refused for as long as the writer has the file open, however long it is still.
  @Test func leaseWaitsForWriter() async throws {
    try await withWriter(leases: true, settleUnseen: "200ms") { rig, writer in
      for index in 1...3 { try await rig.drop("b\(index).txt", until: "registered") }
      try await until("the file to have been still for much longer than settle_unseen") {
        let path = try #require(try await rig.daemon.job(1).path.string)
        let changed = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        return try #require(changed).timeIntervalSinceNow < -2
      }
      let late = try await rig.daemon.job(1)
      #expect(late.disposed_at.isNull && late.existingPath != nil)
      try writer.write("more\n")
      writer.closeInput()
      _ = try await writer.result()
      try await until("the second job of it") { try await rig.daemon.count("registered") == 5 }
      try await rig.untilDisposed()
      let sizes = try rig.sandbox.registrations().map(\.body).filter { $0.name == "a.txt" }.map(\.size.int)
      #expect(sizes == [3, 8])
    }
  }

  /// Nobody can be asked; so the file is kept until it has been still for `settle_unseen` since its claim. That is an hour until the
  /// writer has gone, however long it takes, and then a second.
  @Test func keepsFileUntilStillWithoutLease() async throws {
    try await withWriter(leases: false, settleUnseen: "1h") { rig, writer in
      try writer.write("more\n")
      writer.closeInput()
      _ = try await writer.result()
      let kept = try await rig.daemon.job(1)
      #expect(kept.disposed_at.isNull && kept.existingPath != nil)
      var setup = rig.setup
      setup.settleUnseen = "1s"
      try setup.toml.write(to: setup.config, atomically: true, encoding: .utf8)
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      try await until("the second job") { try await rig.daemon.count("registered") == 2 }
      try await rig.untilDisposed()
      #expect(try rig.sandbox.registrations().map(\.body.size.int) == [3, 8])
      let words = "a.txt was written to after job 1 had uploaded it: it is kept, and has become job 2"
      try await until("the warning") { try rig.daemon.told(words) == 1 }
    }
  }
}
