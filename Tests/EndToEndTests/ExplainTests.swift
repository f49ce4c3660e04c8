import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill explain`: each reason why a file is no job, or not yet one, with a real file, writer or limit behind it.
@Suite(.slot)
struct ExplainTests {
  @Test(arguments: [false, true]) func explainsUnclaimedFiles(isRecursive: Bool) async throws {
    try await withRig({ setup in
      // Long enough for a question, however busy the machine is.
      (setup.settle, setup.settleUnseen, setup.settleEmpty) = ("10min", "10min", "20min")
      if isRecursive { setup.spoolLines = ["recursive = true"] }
    }) { rig in
      for one in UntakenFile.all where one.isRecursive == isRecursive {
        try await Command.require(["sh", "-ec", one.script, "_", rig.setup.spool.path])
        let path = rig.setup.spool.path + "/" + one.name
        let file = try await rig.explain(path)
        #expect(file.reason == one.reason, "\(file)")
        #expect(file.detail.contains(one.words), "\(file)")
        #expect(one.remedy.isEmpty || file.remedy.contains(one.remedy), "\(file)")
        let shown = try await rig.daemon.waybill("explain", path)
        #expect(shown.output.contains("(spool documents)") && shown.output.contains(one.words), "\(shown)")
        #expect(shown.status == (one.reason == "missing" ? 1 : 0))
      }
    }
  }

  @Test func namesFullDiskAndJobLimit() async throws {
    try await withRig(
      faults: ["upload": ["hold": true]],
      {
        $0.constants["admit_ahead"] = "10"
        $0.daemonLines = ["min_free = \"1MiB\""]
        $0.waitForServers()
      }
    ) { rig in
      for number in 1...11 { try rig.drop("\(number).pdf") }
      let file = try await until("one that waits") {
        for number in 1...11 {
          let file = try await rig.explain(rig.setup.spool.path + "/\(number).pdf")
          if file.reason == "admit-ahead" { return file }
        }
        return nil
      }
      #expect(file.detail.contains("further files wait from 10 on"), "\(file)")
      try await rig.sandbox.recover()
      try await until("all to be registered") { try await rig.daemon.count("registered") == 11 }
      try await rig.reload { $0.daemonLines = ["min_free = \"999TiB\""] }
      try rig.drop("late.pdf")
      let late = try await rig.explained(rig.setup.spool.path + "/late.pdf", as: "min-free")
      #expect(late.detail.contains("min_free is 999 TiB"), "\(late)")
    }
  }

  @Test func findsJobsByPathNameClaim() async throws {
    try await withRig(faults: ["register": ["statuses": [201, 422]]]) { rig in
      try await rig.drop("scan.pdf", until: "registered")
      try await rig.drop("scan.pdf", until: "awaiting-confirmation")
      let claim = try #require(try await rig.daemon.job(2).path.string)
      for name in [rig.setup.spool.path + "/scan.pdf", "scan.pdf", claim] {
        let file = try await rig.explain(name)
        #expect(
          file.reason == "awaiting-confirmation" && file.detail.contains("it is job 2: it has a question: "), "\(file)")
        #expect(file.remedy == "waybill confirm 2, or waybill cancel 2")
        #expect(file.jobs == (name == claim ? [2] : [2, 1]))
      }
      let shown = try await rig.daemon.waybill("explain", "scan.pdf")
      #expect(shown.output.contains("earlier: job 1, registered at "), "\(shown)")
      let numbered = try await rig.daemon.waybill("explain", "2")
      #expect(numbered.status == 0 && numbered.output.contains("it is job 2: it has a question: "), "\(numbered)")
      let ended = try await rig.daemon.waybill("explain", "1")
      #expect(ended.status == 0 && ended.output.contains("it was registered as job 1"), "\(ended)")
      #expect(try await rig.daemon.waybill("explain", "3").status == 1)
      try await Command.require(["ln", "-s", rig.setup.spool.path, rig.folder.path + "/short"])
      #expect(try await rig.explain(rig.folder.path + "/short/scan.pdf").jobs == [2, 1], "by another way to the spool")
      let elsewhere = try await rig.explain("/etc/hostname")
      #expect(elsewhere.reason == "in-no-spool" && elsewhere.remedy.contains(rig.setup.spool.path))
      let unknown = try await rig.daemon.waybill("explain", "nobody-knows.pdf")
      #expect(unknown.status == 1 && unknown.output.contains("no spool has a file of this name"), "\(unknown)")
    }
  }
}
