import ChildProcesses
import Foundation

/// The real `waybill-sandbox`: object storage and backend of one test.
final class Sandbox: Sendable {
  let port: Int
  private let child: ChildProcess
  let data: URL
  private let prefix: [String]

  /// Starts one and waits until it listens; on a port of its own choice, or on a given one. `prefix` are words before its own.
  init(
    in folder: URL, port: Int = 0, arguments: [String] = [], log: String = "sandbox", prefix: [String] = []
  ) async throws {
    self.prefix = prefix
    data = folder.appending(path: "far")
    child = try ChildProcess(
      prefix + [Products.sandbox, "--port", String(port), "--data", data.path, "--bucket", Self.bucket] + arguments,
      folder: folder, log: log)
    self.port = try await until("the sandbox to listen") { [child] in
      guard try child.ending() == nil else { throw Missing("the sandbox ended at its start: \(child.errorText)") }
      let line = child.outputText.split(separator: "\n").first { $0.hasPrefix("listening on ") }
      return line?.split(separator: ":").last.flatMap { Int($0) }
    }
  }

  private static let bucket = "documents"

  /// What a sandbox on a port takes, be it running yet or not.
  static func storage(port: Int) -> StorageSetup {
    StorageSetup(
      endpoint: "http://127.0.0.1:\(port)", bucket: bucket, accessKey: "sandbox", secretKey: "sandbox-secret")
  }

  static func backend(port: Int) -> String { "http://127.0.0.1:\(port)/register" }

  var storage: StorageSetup { Self.storage(port: port) }
  var backend: String { Self.backend(port: port) }

  /// Puts faults in force; the kinds of request that are not named stay as they are.
  func fail(_ faults: JSONValue) async throws {
    let body = String(decoding: try JSONEncoder().encode(faults), as: UTF8.self)
    let answer = try await admin("PUT", "faults", body: body)
    guard answer.status == 200 else { throw Missing("the sandbox refused \(body): \(answer.body)") }
  }

  func recover() async throws {
    _ = try await admin("DELETE", "faults")
  }

  func state() async throws -> JSONValue {
    try await admin("GET", "state").json
  }

  private func admin(_ method: String, _ name: String, body: String? = nil) async throws -> HTTPAnswer {
    Looks.lookAtSomethingMute()
    return try await call(method, name, body: body)
  }

  private func call(_ method: String, _ name: String, body: String? = nil) async throws -> HTTPAnswer {
    try await Hunt.pause()
    let url = "http://127.0.0.1:\(port)/_admin/\(name)"
    let answer = try await HTTPAnswer.call(method, url, body: body, prefix: prefix)
    try await Hunt.pause()
    return answer
  }

  func count(_ kind: String) async throws -> Int {
    let count = try await requests(kind, reaching: 0, within: 0)
    Looks.saw("\(port) \(kind)", RequestWatch(sandbox: self, kind: kind, seen: count))
    return count
  }

  /// Waits until so many requests of a kind have come, be they answered or not. The sandbox tells it.
  func receives(_ kind: String, _ count: Int = 1, line: Int = #line) async throws {
    try await until("\(count) requests of the kind \(kind)", line: line) { try await self.count(kind) >= count }
  }

  fileprivate func requests(_ kind: String, reaching count: Int, within seconds: Double) async throws -> Int {
    let answer = try await call("GET", "wait?kind=\(kind)&count=\(count)&seconds=\(seconds)")
    guard let come = try answer.json.count.int else { throw Missing("the sandbox refused: \(answer.body)") }
    return come
  }

  func recorded(_ kind: String) async throws -> [JSONValue] {
    try await state().recorded.array.filter { $0.kind.string == kind }
  }

  func objects() async throws -> [String: JSONValue] {
    let answer = try await admin("GET", "objects")
    return Dictionary(uniqueKeysWithValues: try answer.json.array.map { ($0.key.string ?? "", $0) })
  }

  /// The registrations that counted, each with its `body`.
  func registrations() throws -> [JSONValue] {
    let text = try String(contentsOf: data.appending(path: "registrations.jsonl"), encoding: .utf8)
    // what stands behind the last line's end is just being written: a write that crosses a page is seen in two pieces
    let lines = text[..<(text.lastIndex(of: "\n") ?? text.startIndex)].split(separator: "\n")
    return try lines.map { try JSONValue(parsing: String($0)) }
  }

  /// How many registrations counted, and of how many different ids and names: for more than a test should hold.
  func tally() async throws -> String {
    let script = """
      import json, sys
      lines, ids, names = 0, set(), set()
      for line in open(sys.argv[1]):
          body = json.loads(line)["body"]
          lines += 1
          ids.add(body["id"])
          names.add(body["name"])
      print(f"{lines} registrations, {len(ids)} ids, {len(names)} names", end="")
      """
    let file = data.appending(path: "registrations.jsonl").path
    return try await Command.require([try await Products.python.value, "-c", script, file])
  }

  /// For the end of a test, and for a server that goes away.
  func cut() { child.cut() }
}

private struct RequestWatch: Watch {
  let sandbox: Sandbox
  let kind: String
  let seen: Int

  func news(within limit: Duration) async -> Bool {
    // Ignored: the look itself tells of the trouble.
    (try? await sandbox.requests(kind, reaching: seen + 1, within: limit / .seconds(1))) != nil
  }
}
