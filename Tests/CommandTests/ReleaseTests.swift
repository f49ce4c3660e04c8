import ChildProcesses
import ControlAPI
import ControlServer
import ControlTesting
import Jobs
import Testing

/// `waybill release`: what people are told of a file that was given back, and the release to standard output.
@Suite(.slot, .bounded)
struct ReleaseTests {
  /// The state is the same for both, and people are told what became of the file.
  @Test func releasedIsNotCalledDiscarded() async throws {
    try await withControlServer(try await jobs(3).operations) { socket in
      _ = try await waybill(socket, "cancel", "1", "2", "3")
      _ = try await waybill(socket, "release", "1", "--to", "/srv/back")
      _ = try await waybill(socket, "discard", "2", "--yes")
      let list = try await waybill(socket, "list").output.split(separator: "\n").map(String.init)
      #expect(
        list.contains { $0.contains("1.pdf") && $0.contains(" released ") && !$0.contains("discarded") }, "\(list)")
      #expect(
        list.contains { $0.contains("2.pdf") && $0.contains(" discarded ") && !$0.contains("released") }, "\(list)")
      let status = try await waybill(socket, "status").output
      #expect(status.contains("2 released or discarded"), "\(status)")
      let released = try await waybill(socket, "show", "1").output
      #expect(released.contains("\nreleased\n") && !released.contains("discarded"), "\(released)")
      #expect(released.contains("\nReleased      to /srv/back, by \(user)\n"), "\(released)")
      let discarded = try await waybill(socket, "show", "2").output
      #expect(discarded.contains("\ndiscarded\n") && !discarded.contains("eleased"), "\(discarded)")
      let dry = try await waybill(socket, "retry", "1", "2", "--dry-run")
      #expect(
        dry.errors.contains("job 1 is released; it cannot") && dry.errors.contains("job 2 is discarded; it cannot"),
        "\(dry)")
    }
  }

  @Test(arguments: [["--all"], ["1", "2"], ["--state", "aborted"]])
  func outputTakesOneJob(jobs: [String]) async throws {
    let result = try await Command.run([Products.command, "release"] + jobs + ["--to", "-"])
    #expect(result.status == 64 && result.errors.contains("--to - needs one job"), "\(result)")
  }

  @Test func outputIsNoTerminal() async throws {
    let jobs = try await jobs(1)
    try await withControlServer(jobs.operations) { socket in
      _ = try await waybill(socket, "cancel", "1")
      let typed = try await onTerminal(socket, "release 1 --to -")
      #expect(typed.output.contains("standard output is a terminal: add > FILE"), "\(typed)")
      #expect(await jobs.job(JobNumber(rawValue: 1))?.state == .cancelled)
      let read = try await waybill(socket, "release", "1", "--to", "-")
      #expect(read.status == 0 && read.output == "1.pdf" && read.errors == "1.pdf released by \(user)\n", "\(read)")
      #expect(await jobs.job(JobNumber(rawValue: 1))?.release?.to == "-")
      #expect(try await waybill(socket, "show", "1").output.contains("Released      to the caller, by \(user)\n"))
    }
  }

  /// The file that was read is of a job that somebody else has wanted meanwhile.
  @Test func retryMeanwhileKeepsJob() async throws {
    let jobs = try await jobs(1)
    var operations = jobs.operations
    let base = operations
    operations.fileAnswer = { reference in
      let file = try await base.file(reference)
      return JobFile(revision: file.revision, size: file.size) { offset in
        _ = try await base.carryOut(.retry, on: reference, by: Caller(uid: 7, user: "kim"), revision: nil)
        return try await file.read(offset)
      }
    }
    try await withControlServer(operations) { socket in
      _ = try await waybill(socket, "cancel", "1")
      let read = try await waybill(socket, "release", "1", "--to", "-")
      #expect(read.status == 1 && read.output == "1.pdf", "\(read)")
      #expect(read.errors.contains("the whole file was written, but job 1 was not released: "), "\(read)")
      #expect(await jobs.job(JobNumber(rawValue: 1))?.state == .queued)
    }
  }
}
