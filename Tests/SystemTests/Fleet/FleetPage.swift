import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A running `waybill-fleet web`, which serves the API and the operator's page.
struct FleetPage: Sendable {
  private let child: ChildProcess
  /// `http://127.0.0.1:PORT`, or the Unix socket's path.
  let origin: String

  /// Starts one with some lines of `[web]`, and waits until it listens.
  init(_ rig: FleetRig, lines: [String] = [], role: String = "anna", socket: Bool = false) async throws {
    try await self.init(in: rig.folder, database: rig.server.database(role), lines: lines, socket: socket)
  }

  init(in parent: URL, database: String, lines: [String], socket: Bool = false) async throws {
    let folder = try parent.madeFolder("web-\(UUID().uuidString.prefix(8))")
    let place = socket ? folder.appending(path: "web.sock").path : "127.0.0.1:\(Ports.free())"
    origin = socket ? place : "http://" + place
    let file = folder.appending(path: "fleet.toml")
    let text = """
      database = "\(database)"
      [web]
      listen = "\(place)"
      \(lines.joined(separator: "\n"))

      """
    try text.write(to: file, atomically: true, encoding: .utf8)
    child = try ChildProcess([Products.fleet, "web", "--config", file.path], folder: folder, log: "web")
    try await until("the fleet's page to listen") { [child] in
      guard try child.ending() == nil else { throw Missing("the page ended: \(child.errorText)") }
      return child.errorText.contains("serves the fleet's page")
    }
  }

  func call(
    _ method: String = "GET", _ path: String, headers: [String] = [], body: String? = nil
  ) async throws -> HTTPAnswer {
    let isSocket = !origin.hasPrefix("http")
    let options =
      (isSocket ? ["--unix-socket", origin] : []) + headers.flatMap { ["-H", $0] }
      + (body.map { ["--data-binary", $0] } ?? [])
    return try await HTTPAnswer.call(method, (isSocket ? "http://localhost" : origin) + path, options: options)
  }

  func send(_ path: String, _ body: JSONValue, headers: [String] = []) async throws -> HTTPAnswer {
    let own = origin.hasPrefix("http") ? origin : "http://localhost"
    return try await call(
      "POST", path,
      headers: ["Content-Type: application/json", "Origin: \(own)", "Sec-Fetch-Site: same-origin"] + headers,
      body: "\(body)")
  }

  /// The operator's command over what it serves; it needs a socket.
  func waybill(_ words: [String], input: Data? = nil) async throws -> Command {
    try await Command.run([Products.command] + words + ["--socket", origin], input: input)
  }

  var journal: String { child.errorText }

  func stop() async throws -> ChildProcess.End {
    child.signal(SIGTERM)
    return try await child.end()
  }
}
