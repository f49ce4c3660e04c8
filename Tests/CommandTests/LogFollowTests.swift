import ChildProcesses
import ControlTesting
import ControlServer
import Foundation
import Glibc
import Jobs
import Testing

@testable import waybill

@Suite(.slot, .bounded)
struct LogFollowTests {
  @Test func followsRestartedDaemonWithoutGap() async throws {
    let jobs = InMemoryJobs()
    let folder = try TemporaryFolder()
    let socket = folder.file("control.sock")
    var log: ChildProcess?
    try await withControlServer(jobs.operations, at: socket) { _ in
      log = try ChildProcess([Products.command, "log", "--follow", "--socket", socket])
      try await until("a reader") { await jobs.readers == 1 }
    }
    // Nothing was told yet, and still this is not missed.
    try await jobs.add(FileName("1"))
    for number in 2...3 {
      try await withControlServer(jobs.operations, at: socket) { _ in
        try await jobs.add(FileName("\(number)"))
        try await log?.prints("its lines") { $0.split(separator: "\n").count >= number }
      }
    }
    let lines = try #require(log).outputText.split(separator: "\n")
    #expect(lines.map { $0.suffix(5) } == ["job 1", "job 2", "job 3"])
    log?.signal(SIGINT)
    #expect(try await log?.end() == .exit(0))
    let told = try #require(log).errorText.split(separator: "\n")
    #expect((2...3).contains(told.count) && told.allSatisfy { $0.contains("goes on when it is back") }, "\(told)")
  }

  /// Also where no further event is written, which would tell that the reader has gone.
  @Test(arguments: [1, 50])
  func closedPipeIsNoError(events: Int) async throws {
    let jobs = try await jobs(events)
    try await withControlServer(jobs.operations) { socket in
      let log = "'\(Products.command)' log --follow --socket '\(socket)' --since \(InMemoryJobs.beginning)"
      let result = try await Command.run(["bash", "-c", "set -o pipefail; \(log) | head -n 1"])
      #expect(result.status == 0 && result.output.hasSuffix(" 1 1.pdf admitted as job 1\n"), "\(result)")
      #expect(result.errors.isEmpty)
    }
  }
}
