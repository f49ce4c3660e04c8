import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The daemon's doors while others hold as many connections as they can, and come again as soon as they are cut: who probes, scrapes,
/// asks for the status or has the page open is answered all the same, each time.
///
/// A try may fail, since the crowd also takes the machine's processors; whoever probes tries three times.
@Suite(.slot, .serialized)
struct CrowdedDoorTests {
  /// Those who hold connections: in so many processes, each from so many addresses.
  struct Crowd: Sendable, CustomTestStringConvertible {
    let way: String
    var processes = 1
    var addresses = 1

    var testDescription: String { "\(way) \(processes)×\(addresses)" }
  }

  static let crowds = ["silent", "half", "headers", "body", "pipelined", "busy", "deaf"].flatMap {
    [Crowd(way: $0), Crowd(way: $0, addresses: 200), Crowd(way: $0, processes: 3, addresses: 50)]
  }

  /// Has the crowds there, as many connections in all, while the body runs.
  private func with(
    _ crowd: Crowd, at place: String, asking path: String, _ rig: Rig, _ body: () async throws -> Void
  ) async throws {
    var children: [ChildProcess] = []
    defer { for child in children { child.cut() } }
    for number in 1...crowd.processes {
      children.append(
        try ChildProcess(
          [
            try await Products.python.value, Products.support("unix-socket.py"), "crowd", place,
            String(420 / crowd.processes), crowd.way, path, String(crowd.addresses),
          ], input: .written, folder: rig.folder, log: "crowd\(number)"))
    }
    for child in children { try await child.prints("here") }
    try await body()
  }

  private static let tries = 3

  private static func expectAnswer(_ url: String, _ options: String..., line: Int = #line) async throws {
    var answers: [HTTPAnswer] = []
    while answers.count < tries, answers.last?.status != 200 {
      answers.append(try await HTTPAnswer.call("GET", url, options: ["--no-keepalive"] + options, within: 20))
    }
    #expect(answers.last?.status == 200, "line \(line): \(answers)")
  }

  private static func expectStatus(_ rig: Rig, line: Int = #line) async throws {
    var commands: [Command] = []
    while commands.count < tries, commands.last?.status != 0 {
      commands.append(
        try await Command.run([Products.command, "status"], environment: ["WAYBILL_SOCKET": rig.setup.socket]))
    }
    #expect(commands.last?.status == 0, "line \(line): \(commands)")
  }

  private static func withMetrics(_ body: (Rig, String) async throws -> Void) async throws {
    let port = Ports.free()
    try await withRig({ $0.daemonLines = ["metrics = \"127.0.0.1:\(port)\""] }) { rig in
      try await until("the listener") {
        try await HTTPAnswer.call("GET", "http://127.0.0.1:\(port)/healthz", options: ["-f"]).status == 200
      }
      try await body(rig, "127.0.0.1:\(port)")
    }
  }

  /// As a liveness probe does: over a connection of its own, and once.
  @Test(arguments: Seeds.share(crowds, of: 7)) func probesAreAnswered(_ crowd: Crowd) async throws {
    try await Self.withMetrics { rig, place in
      let asked = crowd.way == "busy" ? "/metrics" : "/healthz"
      try await with(crowd, at: place, asking: asked, rig) {
        for _ in 1...3 { try await Self.expectAnswer("http://\(place)/healthz") }
        // Who scrapes all the time takes the places of scrapes from others.
        guard asked != "/metrics" else { return }
        for _ in 1...3 { try await Self.expectAnswer("http://\(place)/metrics") }
      }
    }
  }

  @Test(arguments: Seeds.share(crowds, of: 7)) func commandIsAnswered(_ crowd: Crowd) async throws {
    try await withRig { rig in
      try await with(crowd, at: rig.setup.socket, asking: "/v1/status", rig) {
        for _ in 1...3 { try await Self.expectStatus(rig) }
      }
    }
  }

  @Test(arguments: Seeds.share(crowds.filter { $0.way != "deaf" }, of: 7)) func pageIsAnswered(_ crowd: Crowd)
    async throws
  {
    try await withRig { rig in
      let web = try await WebPage(rig)
      try await with(crowd, at: String(web.origin.dropFirst("http://".count)), asking: "/page.css", rig) {
        for _ in 1...3 {
          try await Self.expectAnswer(web.origin + "/")
          try await Self.expectAnswer(web.origin + "/v1/status", "-H", "X-Waybill-Token: \(web.token)")
        }
      }
    }
  }
}
