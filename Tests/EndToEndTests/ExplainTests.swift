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

  @Test func openFileWaitsForItsWriter() async throws {
    try await withRig { rig in
      let path = rig.setup.spool.appending(path: "growing.pdf").path
      let script = "exec 3>>\"$1\"; while read line; do echo \"$line\" >&3; done"
      let writer = try ChildProcess(
        ["bash", "-c", script, "_", path], input: .written, folder: rig.folder, log: "writer")
      defer { writer.cut() }
      try writer.write("begun\n")
      let file = try await rig.explained(path, as: "open")
      #expect(file.remedy.contains("sudo fuser -v FILE"), "\(file)")
      try await until("the status to count it") {
        try await rig.daemon.status().spools.array.first?.waiting.open.int == 1
      }
      let status = try await rig.daemon.waybill("status")
      #expect(status.output.contains("1 open for writing"), "\(status)")
      writer.closeInput()
      try await rig.daemon.job(named: "growing.pdf", in: "registered")
      #expect(try await rig.explain(path).reason == "registered")
    }
  }

  @Test func namesPausedIntakeAndRemedy() async throws {
    try await withRig { rig in
      #expect(try await rig.daemon.waybill("pause", "--intake").status == 0)
      try rig.drop("a.pdf")
      let path = rig.setup.spool.path + "/a.pdf"
      let file = try await rig.explained(path, as: "paused")
      #expect(file.detail.contains("no file is taken: the intake was paused by "), "\(file)")
      #expect(file.remedy == "waybill resume --intake")
      #expect(try await rig.daemon.waybill("resume", "--intake").status == 0)
      try await rig.daemon.job(named: "a.pdf", in: "registered")
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

  /// The person stands where a file of that name lies, and means the one in the spool.
  @Test func nameHereAndInSpool() async throws {
    try await withRig { rig in
      try Data("x".utf8).write(to: rig.folder.appending(path: "scan2.pdf"))
      func explain() async throws -> Command {
        try await Command.run(
          ["sh", "-c", #"cd "$1" && exec "$2" explain scan2.pdf"#, "_", rig.folder.path, Products.command],
          environment: ["WAYBILL_SOCKET": rig.daemon.socket])
      }
      let here = try await explain()
      #expect(here.status == 1 && here.output.contains("it is not in a spool of this daemon"), "\(here)")
      try await rig.drop("scan2.pdf", until: "registered")
      let meant = try await explain()
      #expect(meant.status == 0 && meant.output.contains("it was registered as job 1"), "\(meant)")
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

  /// `waybill add` asks before it adds.
  @Test func foretellsWhatIsToCome() async throws {
    try await withRig({ $0.spoolLines = ["match = '.*\\.pdf'", "unmatched = \"ignore\""] }) { rig in
      func told(_ name: String, _ size: String = "5") async throws -> String? {
        let path = rig.setup.spool.path + "/" + name
        let answer = try await rig.daemon.control("GET", "/v1/explain?path=\(path)&size=\(size)")
        return try answer.json.files.array.first?.reasons.array.first?.reason.string
      }
      for (name, size, reason) in [
        ("a.pdf", "5", "ready"), ("a.txt", "5", "unmatched"), (".a.pdf", "5", "hidden"),
        ("a.tmp", "5", "ignored"), ("a.pdf/", "0", "directory"), ("b/a.pdf", "5", "not-recursive"),
      ] { #expect(try await told(name, size) == reason, "\(name) \(size)") }
      // An earlier file of that name is no reason.
      try await rig.drop("a.pdf", until: "registered")
      #expect(try await told("a.pdf") == "ready")
      for wrong in ["", "-1", "x", "1&size=1"] {
        let path = rig.setup.spool.path + "/a.pdf"
        #expect(try await rig.daemon.control("GET", "/v1/explain?path=\(path)&size=\(wrong)").status == 400)
      }
    }
  }

  @Test func explainsNonTextNames() async throws {
    try await withRig({ ($0.settle, $0.settleUnseen) = ("10min", "10min") }) { rig in
      let script = #"printf x > "$1/$(printf 'a\377 b%%+&.pdf')""#
      try await Command.require(["sh", "-ec", script, "_", rig.setup.spool.path])
      let shown = try await Command.run(
        ["sh", "-ec", #""$1" explain "$2/$(printf 'a\377 b%%+&.pdf')""#, "_", Products.command, rig.setup.spool.path],
        environment: ["WAYBILL_SOCKET": rig.setup.socket])
      #expect(shown.status == 0 && shown.output.contains("unchanged for"), "\(shown)")
      let odd = try await rig.daemon.control("GET", "/v1/explain?path=%00")
      #expect(odd.status == 400)
      #expect(try await rig.daemon.control("GET", "/v1/explain").status == 400)
    }
  }

  @Test func reportsMissingSpool() async throws {
    try await withRig({ $0.spoolLines = ["scan_interval = \"1s\""] }) { rig in
      let spool = rig.setup.spool.path
      try FileManager.default.moveItem(atPath: spool, toPath: spool + ".away")
      try FileManager.default.createDirectory(atPath: spool + ".other", withIntermediateDirectories: true)
      let file = try await rig.explained(spool + "/a.pdf", as: "lost")
      #expect(file.remedy.contains("make or mount it again"))
    }
  }
}
