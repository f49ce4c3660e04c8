import ChildProcesses
import Foundation

/// A headless Chromium with one page, driven by its own protocol.
struct Browser: Sendable {
  private let child: ChildProcess
  private let address: String

  init(in parent: URL) async throws {
    guard let program = Capability.chromium else { throw Missing("no chromium") }
    let folder = try parent.madeFolder("browser")
    child = try ChildProcess(
      [try await Products.python.value, Products.support("browser.py"), program, folder.path], input: .written,
      folder: parent, log: "browser")
    let output = try await child.prints("its address") { $0.hasSuffix("\n") }
    address = String(output.dropLast())
  }

  @discardableResult
  func call(_ method: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
    let body = String(decoding: try JSONEncoder().encode(parameters), as: UTF8.self)
    let answer = try await HTTPAnswer.call("POST", "\(address)/\(method)", body: body, within: 150)
    guard answer.status == 200 else { throw Missing("the browser refused \(method): \(answer.body)") }
    return try answer.json
  }

  func events(_ name: String) async throws -> [JSONValue] {
    try await HTTPAnswer.call("GET", "\(address)/events?method=\(name)").json.array
  }

  func open(_ url: String) async throws { try await call("Page.navigate", ["url": .string(url)]) }

  /// Has the page keep each text that it says of what was done: it takes them away after a while.
  func keepWhatItSays() async throws {
    try await value(
      """
      globalThis.kept = [];
      new MutationObserver(() => kept.push(document.querySelector('#said').textContent))
        .observe(document.querySelector('#said'), { childList: true, characterData: true, subtree: true })
      """)
  }

  func hasSaid(_ words: String, line: Int = #line) async throws {
    try await holds("kept.some((text) => text.includes(\(Self.quoted(words))))", line: line)
  }

  @discardableResult
  func value(_ expression: String) async throws -> JSONValue {
    let answer = try await call(
      "Runtime.evaluate",
      ["expression": .string(expression), "returnByValue": true, "awaitPromise": true, "userGesture": true])
    guard answer.exceptionDetails.isNull else { throw Missing("\(expression): \(answer.exceptionDetails)") }
    return answer.result.value
  }

  func text(_ selector: String) async throws -> String {
    try await value("document.querySelector(\(Self.quoted(selector)))?.innerText ?? ''").string ?? ""
  }

  func holds(_ expression: String, within limit: Duration = patience, line: Int = #line) async throws {
    do {
      try await until("the page: \(expression)", within: limit, every: .milliseconds(50), line: line) {
        do {
          return try await value("Boolean(\(expression))") == true
        } catch is Missing {
          return false  // a page that is being loaded has nothing to look at yet
        }
      }
    } catch let error as TimedOut {
      let last = try await value("Boolean(\(expression))")
      throw Missing("\(error): \(last)\n\(try await text("body"))")
    }
  }

  /// Presses the mouse's button where an element is, as a person does: once it stays in its place, and nothing lies over it.
  func click(_ selector: String, line: Int = #line) async throws {
    let find = "document.querySelector(\(Self.quoted(selector)))"
    let look = """
      (async () => {
        const place = () => { const r = \(find)?.getBoundingClientRect(); return r && [r.left + r.width / 2, r.top + r.height / 2] };
        \(find)?.scrollIntoView({block: 'center'});
        const first = place();
        await new Promise(done => setTimeout(done, 60));
        const element = \(find), second = place();
        if (!element || element.disabled || !first || first[0] !== second[0] || first[1] !== second[1]) return null;
        const there = document.elementFromPoint(second[0], second[1]);
        return element === there || element.contains(there) ? second : null;
      })()
      """
    let place = try await until("\(selector) to be there for a click", line: line) { () -> [JSONValue]? in
      let place = try await value(look).array
      return place.isEmpty ? nil : place
    }
    for kind in ["mousePressed", "mouseReleased"] {
      try await call(
        "Input.dispatchMouseEvent",
        ["type": .string(kind), "x": place[0], "y": place[1], "button": "left", "clickCount": 1])
    }
  }

  func type(_ text: String) async throws { try await call("Input.insertText", ["text": .string(text)]) }

  /// Presses a key by its name, e.g. `Enter`, `Tab`, `ArrowDown`, `r`.
  func press(_ key: String) async throws {
    let codes = ["Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, " ": 32]
    let code = JSONValue.number(Double(codes[key] ?? Int(key.uppercased().utf8.first ?? 0)))
    var down: [String: JSONValue] = ["type": "keyDown", "key": .string(key), "windowsVirtualKeyCode": code]
    if key == "Enter" { down["text"] = "\r" } else if key.count == 1 { down["text"] = .string(key) }
    try await call("Input.dispatchKeyEvent", .object(down))
    try await call(
      "Input.dispatchKeyEvent", ["type": "keyUp", "key": .string(key), "windowsVirtualKeyCode": code])
  }

  func show(width: Int, height: Int, dark: Bool) async throws {
    try await call(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .number(Double(width)), "height": .number(Double(height)), "deviceScaleFactor": 1,
        "mobile": .bool(width < 600),
      ])
    try await call(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": .string(dark ? "dark" : "light")]]])
  }

  func picture() async throws -> Data {
    let answer = try await call("Page.captureScreenshot", ["format": "png"])
    return answer.data.string.flatMap { Data(base64Encoded: $0) } ?? Data()
  }

  private static func quoted(_ text: String) -> String { JSONValue.string(text).description }
}
