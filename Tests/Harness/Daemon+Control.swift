import ChildProcesses
import Foundation

/// A job that came to rest elsewhere than a test expects.
struct WentAstray: Error, CustomStringConvertible {
  let description: String
}

protocol ControlCaller: Sendable {
  var socket: String { get }
  /// Why no answer will come any more; nil if one may.
  var lastWords: String? { get }
}

extension ControlCaller {
  var lastWords: String? { nil }
}

extension Daemon: ControlCaller {
  var socket: String { setup.socket }

  var lastWords: String? {
    guard let child = try? child(), let end = try? child.ending() else { return nil }
    return "the daemon has ended (\(end)): \(child.errorText.suffix(2000))"
  }
}

extension ControlCaller {
  /// A call of the control socket, over a connection that is kept. Where nobody answers, the status is 0.
  func control(_ method: String, _ path: String, body: String? = nil) async throws -> HTTPAnswer {
    Looks.lookAtSomethingMute()
    return try await call(method, path, body: body)
  }

  /// A call for what changes with the ledger alone.
  func ledger(_ path: String) async throws -> JSONValue {
    Looks.look(at: socket) { LedgerWatch(socket: socket) }
    return try await call("GET", path).json
  }

  private func call(_ method: String, _ path: String, body: String? = nil) async throws -> HTTPAnswer {
    try await Hunt.pause()
    var answer = try await KeptConnections.call(method, "http://localhost" + path, body: body, socket: socket)
    try await Hunt.pause()
    if answer.status == 0, let lastWords { answer.trouble = Missing(lastWords) }
    return answer
  }

  func waybill(_ words: String...) async throws -> Command { try await waybill(words) }

  func waybill(_ words: [String]) async throws -> Command {
    try await Hunt.pause()
    var command = try await Command.run([Products.command] + words, environment: ["WAYBILL_SOCKET": socket])
    // On a machine that is busy beyond all measure the daemon has no time to answer within the command's ten seconds.
    for _ in 1...3 where isQuestion(words) && command.errors.contains("did not answer within") {
      command = try await Command.run([Products.command] + words, environment: ["WAYBILL_SOCKET": socket])
    }
    try await Hunt.pause()
    return command
  }

  /// Whether a command of the operator's only asks, so that it may be given twice.
  private func isQuestion(_ words: [String]) -> Bool {
    ["explain", "list", "log", "show", "status"].contains(words.first)
  }

  func status() async throws -> JSONValue { try await control("GET", "/v1/status").json }

  func jobs() async throws -> [JSONValue] {
    var jobs: [JSONValue] = []
    var page = try await ledger("/v1/jobs?limit=1000")
    jobs += page.jobs.array
    while let next = page.next.string {
      page = try await ledger("/v1/jobs?limit=1000&after=" + percentEncoded(next))
      jobs += page.jobs.array
    }
    return jobs
  }

  func job(_ number: Int) async throws -> JSONValue { try await ledger("/v1/jobs/\(number)") }

  /// The job of the file with that name, in the long form, once it is in that state; one that comes to rest in another state is an error
  /// at once. In `before` it may rest until what was asked for, by a click, has come to the daemon.
  @discardableResult
  func job(
    named name: String, in state: String, after before: String? = nil, newerThan earlier: Int = 0, line: Int = #line
  ) async throws -> JSONValue {
    let moving = ["queued", "active", "deferred", before]
    return try await until("\(name) to be \(state)", line: line) {
      guard let job = try await newestJob(named: name), job.job.int ?? 0 > earlier else { return nil }
      if job.state.string == state { return try await self.job(job.job.int ?? 0) }
      guard let other = job.state.string, moving.contains(other) else {
        throw WentAstray(description: "line \(line): \(name) should become \(state): \(job)")
      }
      return nil
    }
  }

  func newestJob(named name: String) async throws -> JSONValue? {
    // Of many jobs only those come whose file's name has this one in it. Other signs would be a pattern, or no text.
    if name.utf8.allSatisfy({ plainBytes.contains($0) || $0 == 0x20 }) {
      let page = try await ledger("/v1/jobs?order=newest&limit=50&name=" + percentEncoded(name))
      if let job = page.jobs.array.first(where: { $0.name.string == name }) { return job }
      if page.next.isNull { return nil }
    }
    return try await jobs().last { $0.name.string == name }
  }

  func nextScan(line: Int = #line) async throws {
    let last = try await status().spools.array.first?.last_scan
    try await until("another scan", line: line) { try await status().spools.array.first?.last_scan != last }
  }

  func count(_ state: String) async throws -> Int { try await ledger("/v1/status").counts[state].int ?? 0 }

  func cleanups() async throws -> Int { try await ledger("/v1/status").cleanups.int ?? 0 }
}

private let plainBytes = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

/// Everything but the letters, digits and marks that no part of a URL gives a meaning to, as `%HH`.
func percentEncoded(_ text: String, keeping kept: String = "") -> String {
  text.utf8.map { byte in
    if plainBytes.contains(byte) || kept.utf8.contains(byte) { return String(UnicodeScalar(byte)) }
    return (byte < 16 ? "%0" : "%") + String(byte, radix: 16).uppercased()
  }.joined()
}
