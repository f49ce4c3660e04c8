import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill explain` of what the daemon has no right to.
@Suite(.slot)
struct ExplainRightsTests {
  /// A daemon without rights, and files of another user.
  @Test(.needs(.testUsers))
  func explainsMissingRightsWithRemedy() async throws {
    try await withRig(
      users: OtherUsers(),
      { setup in
        setup.spoolLines = ["recursive = true", "scan_interval = \"1s\""]
        (setup.settleUnseen, setup.settleOpen) = ("200ms", "10min")
      }
    ) { rig in
      let spool = rig.setup.spool.path
      let make = #"mkdir -m 0755 "$1/theirs"; setfacl -b "$1/theirs"; chmod 0755 "$1/theirs""#
      try await Command.require(OtherUser.dropper.words(["sh", "-ec", make, "_", spool]))
      // Once the directory is known, the closing of a file in it is heard.
      for _ in 0..<2 { try await rig.daemon.nextScan() }
      try await Command.require(OtherUser.dropper.words(["sh", "-ec", #"echo x > "$1/theirs/a.pdf""#, "_", spool]))
      let refused = try await rig.explained(spool + "/theirs/a.pdf", as: "refused")
      #expect(refused.detail.contains("Permission denied") && refused.remedy.contains("setfacl"), "\(refused)")
      try await until("the status to count it") {
        try await rig.daemon.status().spools.array.first?.waiting.refused.int == 1
      }

      let hide =
        #"mkdir -m 0700 "$1/secret"; setfacl -b "$1/secret"; chmod 0700 "$1/secret"; echo x > "$1/secret/a.pdf""#
      try await Command.require(OtherUser.dropper.words(["sh", "-ec", hide, "_", spool]))
      let hidden = try await rig.explained(spool + "/secret/a.pdf", as: "refused")
      #expect(hidden.remedy.contains("to read and enter"), "\(hidden)")

      let path = spool + "/kept.pdf"
      let writer = try ChildProcess(
        OtherUser.dropper.words(["bash", "-c", #"exec 3>>"$1"; echo begun >&3; read line"#, "_", path]),
        input: .written,
        folder: rig.folder, log: "writer")
      defer { writer.cut() }
      let kept = try await rig.explained(path, as: "uncertain")
      #expect(kept.detail.contains("a program may have it open") && kept.remedy.contains("CAP_LEASE"), "\(kept)")
      #expect(kept.until != nil)
    }
  }
}
