import ChildProcesses
import Foundation
import Linux
import Testing

@testable import Harness

/// `waybill release JOB --to -`: the file goes to who asks, and the job ends once all of it is there.
@Suite(.slot)
struct ReleaseToOutputTests {
  private static let refused = ["register": ["status": 422]] as JSONValue

  /// Runs a shell script in which `$waybill` is the command, and `$1` a directory.
  private func sh(_ script: String, _ rig: Rig) async throws -> Command {
    try await Command.run(
      ["bash", "-c", "waybill='\(Products.command)'; " + script, "_", rig.folder.path],
      environment: ["WAYBILL_SOCKET": rig.setup.socket])
  }

  private func stopped(_ rig: Rig, _ name: String, _ data: Data) async throws {
    try rig.drop(name, data)
    _ = try await rig.daemon.job(named: name, in: "awaiting-confirmation")
    #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
  }

  @Test func bytesAreTheFile() async throws {
    try await withRig(faults: Self.refused) { rig in
      let data = try Bytes.random(3_000_001)
      try await stopped(rig, "scan.pdf", data)
      let read = try await sh("$waybill release scan.pdf --to - > \"$1/out.pdf\"", rig)
      #expect(read.status == 0 && read.errors.hasPrefix("scan.pdf released by "), "\(read)")
      #expect(try Data(contentsOf: rig.folder.appending(path: "out.pdf")) == data)
      let job = try await rig.daemon.job(1)
      #expect(job.state == "discarded" && job.released.to == "-" && job.path.isNull)
      try await until("nothing to be left in the spool") { rig.filesInSpool().isEmpty }
      let told = try await rig.daemon.waybill("explain", "scan.pdf").output
      #expect(told.contains("job 1 was given back to ") && told.contains(", who has read its file"), "\(told)")
    }
  }

  /// An empty file has no bytes, and is given back all the same.
  @Test func emptyFileIsGivenBack() async throws {
    try await withRig(faults: Self.refused) { rig in
      try await stopped(rig, "empty.pdf", Data())
      let read = try await sh("$waybill release 1 --to - > \"$1/out.pdf\"", rig)
      #expect(read.status == 0, "\(read)")
      #expect(try Data(contentsOf: rig.folder.appending(path: "out.pdf")).isEmpty)
      #expect(try await rig.daemon.job(1).state == "discarded")
    }
  }

  /// All bytes may be in the pipe while its reader is about to fail, so the job stays whatever is read.
  @Test func pipeKeepsJob() async throws {
    try await withRig(faults: Self.refused) { rig in
      try await stopped(rig, "scan.pdf", Data("some bytes\n".utf8))
      let words = "job 1 is as it was; when the file has arrived: waybill discard 1\n"
      let lost = try await sh("$waybill release 1 --to - | { read -r first; exit 3; }; echo ${PIPESTATUS[@]}", rig)
      #expect(lost.output == "0 3\n" && lost.errors == words, "\(lost)")
      let whole = try await sh("$waybill release 1 --to - | cat > \"$1/out.pdf\"; exit ${PIPESTATUS[0]}", rig)
      #expect(whole.status == 0 && whole.errors == words, "\(whole)")
      #expect(try Data(contentsOf: rig.folder.appending(path: "out.pdf")) == Data("some bytes\n".utf8))
      let nowhere = try await sh("$waybill release 1 --to - > /dev/null", rig)
      #expect(nowhere.status == 0 && nowhere.errors == words, "\(nowhere)")
      let job = try await rig.daemon.job(1)
      #expect(job.state == "cancelled" && job.released.isNull)
      #expect(try rig.filesLeft().count == 1)
      #expect(try await rig.daemon.waybill("discard", "1", "--yes").status == 0)
      #expect(try await rig.daemon.job(1).state == "discarded")
    }
  }

  @Test func brokenPipeKeepsJob() async throws {
    try await withRig(faults: Self.refused) { rig in
      try await stopped(rig, "scan.pdf", try Bytes.random(3_000_000))
      let read = try await sh("$waybill release 1 --to - | true; exit ${PIPESTATUS[0]}", rig)
      #expect(read.status == 1, "\(read)")
      #expect(read.errors.contains("the file was not written to its end, so job 1 is as it was: "), "\(read)")
      let full = try await sh("$waybill release 1 --to - > /dev/full", rig)
      #expect(full.status == 1 && full.errors.contains("ENOSPC"), "\(full)")
      #expect(try await rig.daemon.job(1).state == "cancelled")
      #expect(try rig.filesLeft().count == 1)
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
    }
  }

  /// A reader of an older revision does not end the job, whatever happened to it since.
  @Test func retryMeanwhileIsRefused() async throws {
    try await withRig(faults: Self.refused) { rig in
      try await stopped(rig, "scan.pdf", Data("some bytes\n".utf8))
      let revision = try await rig.daemon.job(1).revision.int ?? 0
      #expect(try await rig.daemon.control("GET", "/v1/jobs/1/file").status == 200)
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      _ = try await rig.daemon.job(named: "scan.pdf", in: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      let answer = try await rig.daemon.control(
        "POST", "/v1/jobs/1/release", body: "{\"to\":\"-\",\"revision\":\(revision)}")
      #expect(try answer.status == 409 && answer.json.code == "wrong-revision")
      #expect(try await rig.daemon.job(1).state == "cancelled")
      #expect(try rig.filesLeft().count == 1)
    }
  }

  @Test func runningJobIsNotRead() async throws {
    try await withRig(faults: Self.refused) { rig in
      try await rig.drop("scan.pdf", until: "awaiting-confirmation")
      let read = try await rig.daemon.waybill("release", "1", "--to", "-")
      #expect(read.status == 1 && read.output.isEmpty, "\(read)")
      #expect(read.errors.contains("it cannot be released. Stop it first: waybill cancel 1"), "\(read)")
    }
  }

  @Test func groupIsRefused() async throws {
    try await withRig(faults: Self.refused, { Groups.adjust(&$0) }) { rig in
      _ = try Groups.drop(rig, "run42")
      _ = try await rig.daemon.job(named: "run42", in: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      try await refusesToRead(rig, "run42")
    }
  }

  @Test func pairIsRefused() async throws {
    try await withRig(faults: Self.refused, { $0.spoolLines = ["sidecar = \"{name}.json\""] }) { rig in
      try rig.drop("a.pdf.json", Data("{\"a\":1}".utf8))
      try rig.drop("a.pdf")
      _ = try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      try await refusesToRead(rig, "a.pdf")
    }
  }

  /// Neither is it read, nor does a release without a place for all its files lose one of them.
  private func refusesToRead(_ rig: Rig, _ name: String) async throws {
    let words = "\(name) is a directory, or a file with its sidecar, and cannot be read as one file"
    let read = try await rig.daemon.waybill("release", "1", "--to", "-")
    #expect(read.status == 1 && read.output.isEmpty && read.errors.contains(words), "\(read)")
    #expect(try await rig.daemon.control("GET", "/v1/jobs/1/file").json.code == "several-files")
    let files = rig.filesInSpool()
    let blind = try await rig.daemon.control("POST", "/v1/jobs/1/release", body: #"{"to":"-"}"#)
    #expect(try blind.status == 409 && blind.json.code == "release-failed", "\(blind)")
    #expect(try await rig.daemon.job(1).state == "cancelled")
    #expect(rig.filesInSpool() == files && !files.isEmpty)
  }

  /// The command had no answer, so nobody knows what became of the bytes.
  @Test(.needs(.failpoints)) func crashBeforeReleasedKeepsFile() async throws {
    try await withRig(faults: Self.refused, starting: false) { rig in
      let child = try rig.daemon.launch(environment: Failpoint.releaseCommitted.variable())
      try rig.drop("scan.pdf")
      _ = try await rig.daemon.job(named: "scan.pdf", in: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      let read = try await rig.daemon.waybill("release", "1", "--to", "-")
      #expect(read.status == 69 && read.output == "some bytes\n", "\(read)")
      #expect(read.errors.contains("it is not known whether job 1 was released (waybill show 1)"), "\(read)")
      #expect(Failpoint.met(by: child) == .releaseCommitted)
      _ = try await child.end()
      try await rig.daemon.start()
      let job = try await rig.daemon.job(1)
      #expect(job.state == "cancelled" && job.released.isNull)
      #expect(try rig.filesLeft().count == 1)
      let again = try await rig.daemon.waybill("release", "1", "--to", "-")
      #expect(again.status == 0 && again.output == "some bytes\n", "\(again)")
    }
  }

  @Test func releasedIsNotDiscarded() async throws {
    try await withRig(faults: Self.refused) { rig in
      try await stopped(rig, "scan.pdf", Data("some bytes\n".utf8))
      let back = rig.folder.appending(path: "back")
      try FileManager.default.createDirectory(at: back, withIntermediateDirectories: true)
      #expect(try await rig.daemon.waybill("release", "1", "--to", back.path).status == 0)
      let list = try await rig.daemon.waybill("list").output
      #expect(list.contains(" released ") && !list.contains("discarded"), "\(list)")
      let told = try await rig.daemon.waybill("explain", "scan.pdf").output
      #expect(told.contains("job 1 was given back to \(back.path) by "), "\(told)")
      // it is in the ledger, and not only in the memory of who carried it out
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      let shown = try await rig.daemon.waybill("show", "1").output
      #expect(shown.contains("\nReleased      to \(back.path), by "), "\(shown)")
      #expect(try await rig.daemon.job(1).state == "discarded")
    }
  }
}
