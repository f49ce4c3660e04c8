import ChildProcesses
import Foundation
import Testing

/// The stream of events over the real ledger, read by curl.
@Suite(.slot)
struct EventStreamTests {
  /// The ids and data that curl had until the stream showed so many events, or its time was over.
  private func read(_ rig: Rig, after id: Int, seconds: Int) async throws -> [(id: Int, event: JSONValue)] {
    let answer = try await HTTPAnswer.call(
      "GET", "http://localhost/v1/events",
      options: [
        "-N", "--unix-socket", rig.setup.socket, "--max-time", String(seconds), "-H", "Last-Event-ID: \(id)",
      ])
    var events: [(id: Int, event: JSONValue)] = []
    var last = 0
    for line in answer.body.split(separator: "\n") {
      if line.hasPrefix("id:") { last = Int(line.dropFirst(3).trimmingCharacters(in: .whitespaces)) ?? 0 }
      if line.hasPrefix("data:") { events.append((last, try JSONValue(parsing: String(line.dropFirst(5))))) }
    }
    return events
  }

  @Test func aReaderThatComesBackSeesEachEventOnce() async throws {
    try await withRig { rig in
      for number in 1...20 { try rig.drop("\(number).pdf") }
      try await until("20 registered") { try await rig.daemon.count("registered") == 20 }
      let first = try await read(rig, after: 0, seconds: 2)
      #expect(first.count == 60)
      let middle = first[first.count / 2].id
      for number in 21...30 { try rig.drop("\(number).pdf") }
      try await until("30 registered") { try await rig.daemon.count("registered") == 30 }
      let second = try await read(rig, after: middle, seconds: 2)
      let all = first.filter { $0.id <= middle } + second
      #expect(all.map(\.id) == Array(1...90))
      #expect(all.filter { $0.event.event == "registered" }.count == 30)
      let admitted = try #require(all.first?.event)
      #expect(admitted.event == "admitted" && admitted.job.state == "queued" && admitted.job.step == "upload")
    }
  }

  @Test func theStreamGoesOnOverARestart() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let before = try await read(rig, after: 0, seconds: 1)
      _ = try await rig.daemon.stop()
      try await rig.daemon.start()
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      let after = try await read(rig, after: try #require(before.last).id, seconds: 1)
      #expect(after.map { $0.event.event.string } == ["cancelled"])
      #expect(after.first?.event.by.uid.int == Int(getuid()))
    }
  }

  @Test func theCallsThatTheReadmeShowsWork() async throws {
    try await withRig(faults: ["register": ["status": 422]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let readme = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "README.md")
      let calls = try String(contentsOf: readme, encoding: .utf8).split(separator: "\n")
        .filter { $0.hasPrefix("curl ") }
        .map { $0.replacingOccurrences(of: "/run/waybill/control.sock", with: rig.setup.socket) }
      #expect(calls.count >= 3)
      for call in calls {
        let command = try await Command.run(["sh", "-c", call.replacingOccurrences(of: "/42", with: "/1")])
        #expect(command.status == 0, "\(call): \(command.errors)")
        #expect(command.output.contains("\"job\""), "\(call): \(command.output)")
      }
    }
  }
}
