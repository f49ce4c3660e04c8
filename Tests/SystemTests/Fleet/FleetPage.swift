import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A running `waybill-fleet web`.
struct FleetPage: Sendable {
  private let child: ChildProcess
  /// `http://127.0.0.1:PORT`, or the Unix socket's path.
  let origin: String

  /// Starts one with some lines of `[web]`, and waits until it listens.
  ///
  /// - Parameters:
  ///   - role: the page's role in the database.
  ///   - socket: true for a Unix socket instead of a port.
  init(_ rig: FleetRig, lines: [String] = [], role: String = "anna", socket: Bool = false) async throws {
    try await self.init(in: rig.folder, database: rig.server.database(role), lines: lines, socket: socket)
  }

  init(in parent: URL, database: String, lines: [String], socket: Bool = false) async throws {
    let folder = parent.appending(path: "web-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
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

  /// Calls it as a program does, with more options of curl.
  func call(
    _ method: String = "GET", _ path: String, headers: [String] = [], body: String? = nil
  ) async throws -> HTTPAnswer {
    let isSocket = !origin.hasPrefix("http")
    let options =
      (isSocket ? ["--unix-socket", origin] : []) + headers.flatMap { ["-H", $0] }
      + (body.map { ["--data-binary", $0] } ?? [])
    return try await HTTPAnswer.call(method, (isSocket ? "http://localhost" : origin) + path, options: options)
  }

  /// Sends a form as the page itself does.
  func send(_ form: String, headers: [String] = []) async throws -> HTTPAnswer {
    let own = origin.hasPrefix("http") ? origin : "http://localhost"
    return try await call(
      "POST", "/answer",
      headers: ["Content-Type: application/x-www-form-urlencoded", "Origin: \(own)", "Sec-Fetch-Site: same-origin"]
        + headers, body: form)
  }

  /// Opens the page that asks about a group, and sends its form.
  func sendShown(_ form: String, headers: [String] = []) async throws -> HTTPAnswer {
    try await send(form + "&digest=" + (try await digest(of: form, headers: headers)), headers: headers)
  }

  /// The digest in the form that the page shows for a group.
  func digest(of form: String, headers: [String] = []) async throws -> String {
    let shown = try await call("GET", "/answer?" + form, headers: headers).body
    let value = shown.split(separator: "name=\"digest\" value=\"").dropFirst().first?.split(separator: "\"").first
    guard let value else { throw Missing("the page shows no group: \(shown)") }
    return String(value)
  }

  /// What it has told its journal.
  var journal: String { child.errorText }

  /// Sends it a signal and waits for its end.
  func stop() async throws -> ChildProcess.End {
    child.signal(SIGTERM)
    return try await child.end()
  }

  /// For the end of a test.
  func cut() { child.cut() }
}

extension FleetRig {
  /// Opens the fleet's page in a browser, runs the body, and ends both whatever happened.
  func withPage(
    _ page: FleetPage, _ body: (Browser) async throws -> Void
  ) async throws {
    let browser = try await Browser(in: folder)
    defer { browser.cut() }
    try await browser.show(width: 1280, height: 900, dark: false)
    try await browser.open(page.origin)
    try await browser.holds("document.querySelector('#language') && !document.querySelector('#language').hidden")
    let missing = try await browser.value(
      "[...document.querySelectorAll('[data-t]')].map(n => n.dataset.t).filter(k => !(k in WORDS.zh))")
    #expect(missing.array.isEmpty, "not translated: \(missing)")
    try await body(browser)
    // Whatever the test did: nothing was asked of another host, no script failed, and nothing was forbidden to the page.
    for request in try await browser.events("Network.requestWillBeSent") {
      let url = request.request.url.string ?? ""
      #expect(url.hasPrefix(page.origin + "/"), "\(url)")
    }
    let failed = try await browser.events("Runtime.exceptionThrown")
    #expect(failed.isEmpty, "\(failed)")
  }
}
