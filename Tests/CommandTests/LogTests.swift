import ChildProcesses
import ControlAPI
import ControlTesting
import ControlServer
import Foundation
import Glibc
import Jobs
import Messages
import Testing

/// `waybill log`, against a control server with jobs in memory.
@Suite(.slot, .bounded)
struct LogTests {
  /// The lines without their times.
  private func lines(_ command: Command) -> [String] {
    command.output.split(separator: "\n").map { String($0.drop { $0 != " " }.dropFirst()) }
  }

  private func world(_ jobs: InMemoryJobs, _ body: (String) async throws -> Void) async throws {
    try await withControlServer(jobs.operations) { socket in
      #expect(try await waybill(socket, "cancel", "1", "--reason", "sent twice").status == 0)
      try await body(socket)
    }
  }

  @Test func showsNewestEventLastWithReason() async throws {
    try await world(try await jobs(2)) { socket in
      let log = try await waybill(socket, "log")
      #expect(log.status == 0 && log.errors.isEmpty)
      let lines = lines(log)
      #expect(lines.first == "1 1.pdf admitted as job 1")
      #expect(lines.last == "1 Upload of 1.pdf cancelled by \(user): sent twice")
      #expect(try await self.lines(waybill(socket, "log", "-n", "1")) == lines.suffix(1))
      #expect(try await self.lines(waybill(socket, "log", "--lines", "all")) == lines)
      #expect(try await waybill(socket, "log", "-n", "0").output == "No events.\n")
      let people = try await self.lines(waybill(socket, "log", "--by", user))
      #expect(people == lines.suffix(1))
      #expect(try await self.lines(waybill(socket, "log", "--by", "*", "--since", InMemoryJobs.beginning)) == people)
      #expect(try await self.lines(waybill(socket, "log", "2.PDF")).allSatisfy { $0.hasPrefix("2 ") })
      #expect(try await waybill(socket, "log", "--by", "nobody").output == "No events.\n")
      #expect(try await self.lines(waybill(socket, "log", "--event", "admitted,cancelled")).count == 3)
      #expect(try await waybill(socket, "log", "--until", InMemoryJobs.beginning).output == "No events.\n")
    }
  }

  @Test func readsEventsPageByPage() async throws {
    let jobs = InMemoryJobs(eventsKept: 5000)
    for number in 1...2100 { try await jobs.add(FileName("\(number).pdf")) }
    try await withControlServer(jobs.operations) { socket in
      let all = try await waybill(socket, "log", "-n", "all").output.split(separator: "\n")
      #expect(all.count == 2100)
      #expect(try await waybill(socket, "log", "-n", "1500").output.split(separator: "\n") == all.suffix(1500))
      #expect(try await waybill(socket, "log").output.split(separator: "\n") == all.suffix(100))
    }
  }

  @Test func jsonPrintsOneObjectPerLine() async throws {
    try await world(try await jobs(1)) { socket in
      let lines = try await waybill(socket, "log", "--json").output.split(separator: "\n")
      let events = try lines.map { try EventMessage(bytes: Array($0.utf8)) }
      #expect(events.map(\.event) == ["admitted", "question", "cancelled"])
      #expect(events.last?.by?.user == user && events.last?.reason?.text == "sent twice")
    }
  }

  @Test func followStartsAtLogEnd() async throws {
    let jobs = try await jobs(1)
    try await withControlServer(jobs.operations) { socket in
      let child = try ChildProcess([
        Products.command, "log", "--socket", socket, "-f", "--event", "admitted,cancelled",
      ])
      try await until("the follower to be there") { await jobs.readers == 1 }
      try await jobs.add(FileName("later.pdf"), .begin, .asks)
      #expect(try await waybill(socket, "cancel", "2").status == 0)
      try await child.reads { $0.count == 3 }
      let words = [
        "1.pdf admitted as job 1", "later.pdf admitted as job 2", "Upload of later.pdf cancelled by \(user)",
      ]
      for (line, word) in zip(child.lines, words) { #expect(line.hasSuffix(word), "\(line)") }
      #expect(try await child.stop(SIGTERM) == .exit(0) && child.errorText.isEmpty)
    }
  }

  @Test(arguments: [
    (["--since", "tomorrow"], "since"), (["--until", "x"], "until"), (["--event", "x"], "There is no event 'x'"),
    (["-f", "--until", "1h"], "--follow and --until"), (["-n", "-1"], "-n"), (["-n", "some"], "-n"),
    (["--by", ""], "--by"),
    (["--spool", ""], "--spool"), (["a", "--name", "b"], "once"), (["--since", "1h", "--until", "2h"], "later"),
  ]) func invalidFilterIsUsageError(_ arguments: [String], _ word: String) async throws {
    try await withControlServer(try await jobs(1).operations) { socket in
      let log = try await Command.run([Products.command, "log"] + arguments, environment: ["WAYBILL_SOCKET": socket])
      #expect(log.status == 64 && log.output.isEmpty, "\(log)")
      #expect(log.errors.contains(word), "\(log.errors)")
    }
  }
}
