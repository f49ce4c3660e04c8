import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill add`: files go into a spool whole or not at all.
@Suite(.slot)
struct AddTests {
  private func file(_ name: String, in rig: Rig, _ data: Data = Data("some bytes\n".utf8)) throws -> String {
    let place = try rig.folder.madeFolder("mine")
    let file = place.appending(path: name)
    try data.write(to: file)
    return file.path
  }

  private func namesInSpool(_ rig: Rig) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: rig.setup.spool.path).filter { $0 != ".waybill" }
  }

  @Test func keepsBytesModeAndMetadata() async throws {
    try await withRig(faults: ["upload": ["status": 599]]) { rig in
      let data = try Bytes.random(3_000_000)
      let path = try file("a b.pdf", in: rig, data)
      let add = try await rig.daemon.waybill(
        "add", path, "--spool", "documents", "--meta", "author=Anna Ö", "--meta", "case-7=x=y")
      #expect(add.status == 0 && add.output == "a b.pdf added to documents\n", "\(add.errors)")
      let job = try await rig.daemon.job(named: "a b.pdf", in: "awaiting-confirmation")
      #expect(job.metadata == ["author": "Anna Ö", "case-7": "x=y"])
      let stored = try #require(job.existingPath)
      #expect(FileManager.default.contents(atPath: stored) == data)
      let attributes = try FileManager.default.attributesOfItem(atPath: stored)
      #expect(attributes[.posixPermissions] as? Int == 0o660)
      #expect(FileManager.default.contents(atPath: path) == data, "one's own file stays")
      #expect(try namesInSpool(rig).isEmpty)
    }
  }

  @Test func abortEndsWait() async throws {
    try await withRig(faults: ["upload": ["status": 503]]) { rig in
      let add = try await rig.daemon.waybill("add", "--wait", try file("a.pdf", in: rig))
      #expect(add.status == 1 && add.errors.contains("job 1: Upload of a.pdf was aborted"), "\(add)")
    }
  }

  @Test func failedFileDoesNotStopOthers() async throws {
    try await withRig { rig in
      let taken = try rig.setup.spool.madeFolder("b.pdf")
      let words = ["/nonexistent/x.pdf", "/dev/null", try file("b.pdf", in: rig), try file("a.pdf", in: rig)]
      let none = try await rig.daemon.waybill(["add", "/"] + words)
      #expect(none.status == 64, "'/' names no file: \(none.errors)")
      let unknown = try await rig.daemon.waybill("add", words[3], "--spool", "letters")
      #expect(unknown.status == 64 && unknown.errors.contains("the spools are: documents"), "\(unknown.errors)")
      let add = try await rig.daemon.waybill(["add"] + words)
      #expect(add.status == 1)
      #expect(add.output == "a.pdf added to documents\n")
      for words in ["/nonexistent/x.pdf: No such file", "/dev/null", "still waits"] {
        #expect(add.errors.contains(words), "\(add.errors)")
      }
      #expect(FileManager.default.fileExists(atPath: taken.path))
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func interruptedCopyLeavesNothing(signal: Int32) async throws {
    try await withRig { rig in
      // All holes, so that it costs nothing here, and too much for any machine to copy before the signal.
      let path = try file("large.bin", in: rig, Data())
      try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: 1 << 40)
      let child = try ChildProcess(
        [Products.command, "add", path], environment: ["WAYBILL_SOCKET": rig.setup.socket], folder: rig.folder,
        log: "add")
      try await until("the copy to begin") { try namesInSpool(rig).contains { $0.hasPrefix(".waybill-add-") } }
      child.signal(signal)
      #expect(try await child.end() == .signal(signal))
      #expect(try namesInSpool(rig).isEmpty)
    }
  }

  @Test func refusesWhatSpoolOfPairsWouldNotTake() async throws {
    try await withRig({
      $0.spoolLines += ["sidecar = \"{name}.json\"", "sidecar_wait = \"1h\""]
      $0.spoolLines += ["match = '.*\\.pdf'", "unmatched = \"ignore\""]
    }) { rig in
      func add(_ words: String...) async throws -> Command { try await rig.daemon.waybill(["add"] + words) }
      let (a, b) = (try file("a.pdf", in: rig, Data("a".utf8)), try file("b.pdf", in: rig, Data("b".utf8)))
      let (aSide, bSide) = (
        try file("a.pdf.json", in: rig, Data("{\"a\":1}".utf8)), try file("b.pdf.json", in: rig, Data("{\"b\":1}".utf8))
      )
      #expect(try await add(a, aSide).output == "a.pdf added to documents\na.pdf.json added to documents\n")
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(try await add(bSide).output == "b.pdf.json added to documents\n")
      #expect(try await add(b).output == "b.pdf added to documents\n")
      try await rig.daemon.job(named: "b.pdf", in: "registered")
      // What the spool would not take is refused before anything is added.
      let other = try await add(a, try file("other.txt", in: rig), "--json")
      #expect(other.status == 64 && other.errors.contains("does not match"), "\(other)")
      let wait = try await add(b, bSide, "--wait")
      #expect(wait.status == 64 && wait.errors.contains("b.pdf.json is a sidecar"), "\(wait)")
    }
  }
}
