import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The daemon's doors while others hold as many connections as they can, and come again as soon as they are cut: who probes, scrapes,
/// asks for the status or has the page open is answered all the same, each time.
@Suite(.slot, .bounded)
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
            String(600 / crowd.processes), crowd.way, path, String(crowd.addresses),
          ], input: .written, folder: rig.folder, log: "crowd\(number)"))
    }
    for child in children { try await child.prints("here") }
    try await body()
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
  @Test(arguments: Seeds.share(crowds, of: 4)) func probesAreAnswered(_ crowd: Crowd) async throws {
    try await Self.withMetrics { rig, place in
      let asked = crowd.way == "busy" ? "/metrics" : "/healthz"
      try await with(crowd, at: place, asking: asked, rig) {
        for _ in 1...10 {
          let answer = try await HTTPAnswer.call("GET", "http://\(place)/healthz", options: ["--no-keepalive"])
          #expect(answer.status == 200, "\(answer)")
        }
        guard crowd.way != "busy" else { return }
        for _ in 1...3 {
          let answer = try await HTTPAnswer.call("GET", "http://\(place)/metrics", options: ["--no-keepalive"])
          #expect(answer.status == 200, "\(answer)")
        }
      }
    }
  }

  @Test(arguments: Seeds.share(crowds, of: 4)) func theCommandIsAnswered(_ crowd: Crowd) async throws {
    try await withRig { rig in
      try await with(crowd, at: rig.setup.socket, asking: "/v1/status", rig) {
        for _ in 1...5 {
          let status = try await Command.run([Products.command, "status"], environment: ["WAYBILL_SOCKET": rig.setup.socket])
          #expect(status.status == 0, "\(status)")
        }
      }
    }
  }

  @Test(arguments: Seeds.share(crowds.filter { $0.way != "deaf" }, of: 4)) func thePageIsAnswered(_ crowd: Crowd) async throws {
    try await withRig { rig in
      let web = try await WebPage(rig)
      defer { web.cut() }
      try await with(crowd, at: String(web.origin.dropFirst("http://".count)), asking: "/page.css", rig) {
        for _ in 1...5 {
          #expect(try await HTTPAnswer.call("GET", web.origin + "/", options: ["--no-keepalive"]).status == 200)
          let status = try await HTTPAnswer.call(
            "GET", web.origin + "/v1/status", options: ["--no-keepalive", "-H", "X-Waybill-Token: \(web.token)"])
          #expect(status.status == 200, "\(status)")
        }
      }
    }
  }

  /// The readers of events are as many as there may be, and do not read.
  @Test func readersOfEventsLeaveRoom() async throws {
    try await Self.withMetrics { rig, place in
      let web = try await WebPage(rig)
      defer { web.cut() }
      try await with(Crowd(way: "deaf"), at: rig.setup.socket, asking: "/v1/status", rig) {
        for _ in 1...5 {
          let status = try await Command.run([Products.command, "status"], environment: ["WAYBILL_SOCKET": rig.setup.socket])
          #expect(status.status == 0, "\(status)")
          #expect(try await HTTPAnswer.call("GET", "http://\(place)/healthz", options: ["--no-keepalive"]).status == 200)
          let page = try await HTTPAnswer.call(
            "GET", web.origin + "/v1/status", options: ["--no-keepalive", "-H", "X-Waybill-Token: \(web.token)"])
          #expect(page.status == 200, "\(page)")
        }
      }
    }
  }
}
