import ControlTesting
import Daemon
import Foundation
import Glibc
import Jobs
import Testing

@testable import waybill

/// `waybill watch` as it was built, against a control server with jobs in memory.
@Suite(.timeLimit(.minutes(2)))
struct WatchTests {
  private func jobs(_ count: Int) async throws -> InMemoryJobs {
    let jobs = InMemoryJobs()
    for number in 1...count { try await jobs.add(FileName("\(number).pdf"), .begin, .asks) }
    return jobs
  }

  @Test func eachEventIsALineUntilAStopIsAskedFor() async throws {
    for stop in [SIGINT, SIGTERM] {
      let jobs = InMemoryJobs()
      try await withControlServer(jobs.operations) { socket in
        let watch = try RunningProgram(built("waybill"), ["watch", "--socket", socket])
        try await until { await jobs.readers == 1 }
        try await jobs.add(FileName("\u{1B}[31ma\nb.pdf"), .begin, .asks)
        await jobs.tell(
          "gate-closed", "storage.main is closed: network", destination: "storage.main", reason: "network")
        try await watch.reads { $0.count == 3 }
        let lines = watch.lines
        #expect(lines[0] == #"2026-11-21T12:00:01Z 1 \x1b[31ma\nb.pdf admitted as job 1"#)
        #expect(
          lines[1]
            == #"2026-11-21T12:00:03Z 1 Upload of \x1b[31ma\nb.pdf failed: HTTP 422: invoice number is taken. Retry?"#)
        #expect(lines[2] == "2026-11-21T12:00:04Z - storage.main is closed: network")
        #expect(await watch.end(stop) == 0 && watch.errors.isEmpty)
      }
    }
  }

  @Test func eventsAreChosenByNameAndTime() async throws {
    let jobs = try await jobs(3)
    let third = try #require(await jobs.job(JobNumber(rawValue: 3))).ticket.createdAt
    try await withControlServer(jobs.operations) { socket in
      let watch = try RunningProgram(
        built("waybill"),
        ["watch", "--socket", socket, "--json", "--event", "question,aborted", "--since", third.rfc3339]
      )
      try await watch.reads { $0.count == 1 }
      try await jobs.add(FileName("4.pdf"), .begin, .aborts)
      try await watch.reads { $0.count == 2 }
      let lines = watch.lines
      #expect(lines[0].hasPrefix(#"{"at":"2026-11-21T12:00:09.000Z","by":null,"#))
      #expect(lines[0].contains(#""event":"question","job":{"#) && lines[0].contains(#""job":3,"#))
      #expect(lines[1].contains(#""event":"aborted""#) && lines[1].contains(#""name":"4.pdf""#))
      #expect(await watch.end(SIGTERM) == 0)
    }
  }

  @Test func aDaemonThatIsStartedAnewIsFollowedWithoutAGap() async throws {
    let jobs = InMemoryJobs()
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let socket = directory.path + "/control.sock"
    var watch: RunningProgram?
    try await withControlServer(jobs.operations, at: socket) { _ in
      watch = try RunningProgram(built("waybill"), ["watch", "--socket", socket])
      try await until { await jobs.readers == 1 }
    }
    // Nothing was told yet, and still this is not missed.
    try await jobs.add(FileName("1"))
    for number in 2...3 {
      try await withControlServer(jobs.operations, at: socket) { _ in
        try await jobs.add(FileName("\(number)"))
        try await watch?.reads { $0.count >= number }
      }
    }
    let lines = try #require(watch).lines
    #expect(lines.map { $0.suffix(5) } == ["job 1", "job 2", "job 3"])
    #expect(await watch?.end(SIGINT) == 0)
    let told = try #require(watch).errors.split(separator: "\n")
    #expect((2...3).contains(told.count) && told.allSatisfy { $0.contains("goes on when it is back") }, "\(told)")
  }

  @Test func theEndOfAPipeIsNoError() async throws {
    let jobs = try await jobs(50)
    try await withControlServer(jobs.operations) { socket in
      let result = try await run(
        "/bin/bash", ["-c", "set -o pipefail; '\(built("waybill"))' watch --socket '\(socket)' --since 1d | head -n 1"])
      #expect(result.status == 0 && result.output.hasSuffix(" 1 1.pdf admitted as job 1\n"), "\(result)")
      #expect(result.errors.isEmpty)
    }
  }

  @Test func withoutADaemonAWatchDoesNotBegin() async throws {
    let result = try await run(built("waybill"), ["watch", "--socket", "/nonexistent/waybill.sock"])
    #expect(result.status == 69 && result.errors.contains("systemctl status waybill"))
    #expect(try await run(built("waybill"), ["watch", "--event", "questoin"]).status == 64)
  }

  @Test func colourIsOnlyForATerminal() async throws {
    let jobs = try await jobs(1)
    try await withControlServer(jobs.operations) { socket in
      let line = "exec '\(built("waybill"))' watch --socket '\(socket)' --since 1d"
      let watch = try RunningProgram("/usr/bin/env", ["TERM=xterm", "NO_COLOR=", "script", "-qefc", line, "/dev/null"])
      try await watch.reads { $0.contains { $0.contains("\u{1B}[33mUpload of 1.pdf failed") } }
      _ = await watch.end(SIGTERM)
    }
  }
}
