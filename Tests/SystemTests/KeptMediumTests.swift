import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A card whose files stay where they are: mounted read-only for a daemon of another user, taken out, and put in again.
@Suite(.slot, .needs(.testUsers, .mount))
struct KeptMediumTests {
  private func withCard(_ body: (Rig, Card) async throws -> Void) async throws {
    try await withMemoryDisk(bytes: 1 << 24) { disk in
      try await Command.require(["chmod", "0755", disk.url.path])
      let folder = try disk.url.madeFolder("DCIM")
      for number in 1...3 { try Data("photo \(number)".utf8).write(to: folder.appending(path: "\(number).jpg")) }
      try await withRig(
        starting: false, users: OtherUsers(),
        {
          $0.settleOpen = "200ms"
          // Mounts and unmounts are heard of.
          $0.constants["longest_look"] = "\"1h\""
          $0.spoolLines = ["after = \"keep\"", "recursive = true", "scan_interval = \"1h\""]
        }
      ) { rig in
        let card = Card(real: disk.url, place: rig.setup.spool.path)
        defer { detach(rig.setup.spool) }
        try await body(rig, card)
      }
    }
  }

  private struct Card: Sendable {
    let real: URL
    let place: String

    func put() async throws {
      try await Command.require(["mount", "--bind", real.path, place])
      try await Command.require(["mount", "-o", "remount,bind,ro", place])
    }
  }

  @Test func pulledCardWaitsAndResumes() async throws {
    try await withCard { rig, card in
      try await card.put()
      try await rig.daemon.start()
      try await until("all to be registered") { try await rig.daemon.count("registered") == 3 }
      #expect(try await rig.daemon.waybill("pause", "--spool", "documents").status == 0)
      try Data("more".utf8).write(to: card.real.appending(path: "DCIM/4.jpg"))
      try await rig.daemon.job(named: "4.jpg", in: "queued")

      // An upload may have it open for a moment.
      try await until("it to be pulled") { try await Command.run(["umount", card.place]).status == 0 }
      try await until("it to be lost") { try rig.daemon.told("was removed, replaced or unmounted") == 1 }
      #expect(try await rig.daemon.waybill("resume", "--spool", "documents").status == 0)
      let waiting = try await rig.daemon.job(named: "4.jpg", in: "deferred")
      #expect(waiting.error.code == "in-place-away")
      try Data("new".utf8).write(to: card.real.appending(path: "DCIM/5.jpg"))
      try await card.put()
      for name in ["4.jpg", "5.jpg"] { try await rig.daemon.job(named: name, in: "registered") }
      // On a file system whose inodes do not last, the others are read and known.
      try await until("the others to be known") { try await rig.daemon.count("skipped") >= 3 }
      #expect(try await rig.daemon.count("registered") == 5)
      #expect(try rig.sandbox.registrations().count == 5)
      #expect(try await rig.daemon.stop() == .exit(0))
      #expect(try FileManager.default.contentsOfDirectory(atPath: card.real.path) == ["DCIM"])
    }
  }
}
