import ChildProcesses
import Foundation
import Testing

struct WebPage: Sendable {
  private let child: ChildProcess
  /// The URL as it was printed, with the token.
  let url: String

  /// Starts one for a daemon and waits for the URL.
  init(_ rig: Rig, port: Int = 0) async throws {
    child = try ChildProcess(
      [Products.command, "web", "--port", String(port)], environment: ["WAYBILL_SOCKET": rig.setup.socket],
      folder: rig.folder, log: "web")
    let output = try await child.prints("a URL") { $0.hasSuffix("\n") }
    url = String(output.dropLast())
  }

  /// `http://127.0.0.1:PORT`.
  var origin: String { String(url.prefix { $0 != "#" }.dropLast()) }
  /// What the page shows with each call.
  var token: String { String(url.drop { $0 != "#" }.dropFirst()) }

  func stop(_ number: Int32) async throws -> ChildProcess.End {
    child.signal(number)
    return try await child.end()
  }
}

extension Rig {
  /// Opens the operator's page in a browser with its list of jobs, runs the body, and ends both whatever happened.
  func withPage(_ body: (Browser, WebPage) async throws -> Void) async throws {
    let web = try await WebPage(self)
    let browser = try await Browser(in: folder)
    try await browser.show(width: 1280, height: 900, dark: false)
    try await browser.open(web.url)
    // What comes last moves what is below it.
    try await browser.holds("document.querySelector('#live.on') && document.querySelector('#backlog').innerText != '–'")
    try await browser.holds("document.querySelector('#log li')")
    try await browser.value("document.querySelector('#list').open = true")
    try await browser.keepWhatItSays()
    try await body(browser, web)
    // Whatever the test did: nothing was asked of another host, and no script failed.
    for request in try await browser.events("Network.requestWillBeSent") {
      let url = request.request.url.string ?? ""
      #expect(url.hasPrefix(web.origin + "/"), "\(url)")
    }
    let failed = try await browser.events("Runtime.exceptionThrown")
    #expect(failed.isEmpty, "\(failed)")
  }
}
