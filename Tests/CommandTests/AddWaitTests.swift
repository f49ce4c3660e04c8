import ChildProcesses
import ControlAPI
import ControlTesting
import FoundationEssentials
import Jobs
import MessageLiterals
import Messages
import Synchronization
import Testing

/// What `waybill add --wait` says while it waits.
@Suite(.slot, .bounded)
struct AddWaitTests {
  /// Between the claim of a file and its job, the daemon knows of an earlier file of that name alone, which nobody waits for.
  @Test func saysNothingOfEarlierFileOfThatName() async throws {
    let folder = try TemporaryFolder()
    let spool = try folder.folder("spool")
    let file = try folder.write("a.pdf", Self.bytes)
    let jobs = InMemoryJobs()
    try await jobs.add(FileName("a.pdf"), .begin, .uploads, .begin, .registers)
    let looks = Mutex(0)
    var operations = jobs.operations
    operations.statusAnswer = {
      var status = await jobs.status()
      status.spools[0].path = spool.path
      return status
    }
    operations.explainAnswer = { query in
      guard query.size == nil else { return await jobs.explain(query) }
      let look = looks.withLock { looks in
        looks += 1
        return looks
      }
      // The first look is at the file. At the second one it has just been claimed.
      if look == 2 { try FileManager.default.removeItem(atPath: spool.path + "/a.pdf") }
      let reason =
        look == 1
        ? Explanation.Reason(reason: "settling", detail: "it is being written")
        : Explanation.Reason(reason: "registered", detail: "it was registered as job 1")
      return ExplainAnswer(files: [Explanation(path: "a.pdf", spool: "documents", reasons: [reason])])
    }
    operations.jobAnswer = { _ in
      looks.withLock { $0 } < 2 ? nil : await jobs.job(.number(JobNumber(rawValue: 1)))
    }
    try await withControlServer(operations) { socket in
      let add = try await waybill(socket, "add", "--wait", file)
      #expect(add.status == 0 && add.output == "a.pdf uploaded and registered\n", "\(add)")
      #expect(add.errors == "waybill: a.pdf: it is being written\n", "\(add)")
    }
    #expect(looks.withLock { $0 } == 2)
  }

  /// Whoever sees the identity that a file asks for can drop another one that asks for it too: that one's job is not this file's.
  @Test(arguments: ["name", "size", "spool"])
  func anotherFilesJobIsNotTakenForIt(_ difference: String) async throws {
    let folder = try TemporaryFolder()
    let spool = try folder.folder("spool")
    let file = try folder.write("a.pdf", difference == "size" ? Array("some bytes".utf8) : Self.bytes)
    let jobs = InMemoryJobs()
    try await jobs.add(
      FileName(difference == "name" ? "b.pdf" : "a.pdf"), spool: difference == "spool" ? "other" : "documents",
      .begin, .uploads, .begin, .registers)
    var operations = jobs.operations
    operations.statusAnswer = {
      var status = await jobs.status()
      status.spools[0].path = spool.path
      return status
    }
    operations.jobAnswer = { _ in await jobs.job(.number(JobNumber(rawValue: 1))) }
    try await withControlServer(operations) { socket in
      let add = try await waybill(socket, "add", "--wait", file)
      #expect(add.status == 1 && add.output.isEmpty, "\(add)")
      #expect(add.errors.contains("job 1 has the identity that a.pdf asks for, and is another file"), "\(add)")
    }
  }

  /// As many bytes as the jobs of ``InMemoryJobs`` have.
  private static let bytes = [UInt8](repeating: 0x61, count: 4096)
}
