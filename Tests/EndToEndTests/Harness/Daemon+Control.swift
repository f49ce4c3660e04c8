import ChildProcesses
import Foundation

/// An answer of an HTTP server, as curl had it.
struct HTTPAnswer: Sendable {
  /// 0 where no answer came.
  var status: Int
  var contentType: String
  var body: String

  /// The body as JSON.
  var json: JSONValue { get throws { try JSONValue(parsing: body) } }

  /// Makes a call with curl. `prefix` are words before its own.
  static func call(
    _ method: String, _ url: String, body: String? = nil, options: [String] = [], within seconds: Int = 40,
    prefix: [String] = []
  ) async throws -> HTTPAnswer {
    var words = prefix + ["curl", "-q", "-sS", "--noproxy", "*", "--max-time", String(seconds), "-X", method]
    words += ["-w", "\n%{http_code} %{content_type}"] + options
    if let body { words += ["-H", "Content-Type: application/json", "--data-binary", body] }
    let command = try await Command.run(words + [url])
    var lines = command.output.split(separator: "\n", omittingEmptySubsequences: false)
    let facts = lines.popLast()?.split(separator: " ", maxSplits: 1) ?? []
    return HTTPAnswer(
      status: facts.first.flatMap { Int($0) } ?? 0, contentType: facts.count > 1 ? String(facts[1]) : "",
      body: lines.joined(separator: "\n"))
  }
}

/// A job that came to rest elsewhere than a test expects.
struct WentAstray: Error, CustomStringConvertible {
  let description: String
}

/// A daemon that can be asked over its control socket.
protocol ControlCaller: Sendable {
  /// The path of the socket.
  var socket: String { get }
}

extension Daemon: ControlCaller {
  var socket: String { setup.socket }
}

extension ControlCaller {
  /// A call of the control socket, made by curl as the contract says that it can be.
  func control(_ method: String, _ path: String, body: String? = nil) async throws -> HTTPAnswer {
    try await HTTPAnswer.call(method, "http://localhost" + path, body: body, options: ["--unix-socket", socket])
  }

  /// The operator's command, spoken to this daemon.
  func waybill(_ words: String...) async throws -> Command { try await waybill(words) }

  func waybill(_ words: [String]) async throws -> Command {
    try await Command.run([Products.command] + words, environment: ["WAYBILL_SOCKET": socket])
  }

  func status() async throws -> JSONValue { try await control("GET", "/v1/status").json }

  /// Every job, page by page.
  func jobs() async throws -> [JSONValue] {
    var jobs: [JSONValue] = []
    var page = try await control("GET", "/v1/jobs?limit=1000").json
    jobs += page.jobs.array
    while let next = page.next.string {
      page = try await control("GET", "/v1/jobs?limit=1000&after=" + percentEncoded(next)).json
      jobs += page.jobs.array
    }
    return jobs
  }

  /// One job with its attempts and history.
  func job(_ number: Int) async throws -> JSONValue { try await control("GET", "/v1/jobs/\(number)").json }

  /// The job of the file with that name, in the long form, once it is in that state.
  ///
  /// A job that comes to rest in another state is told at once instead of being waited for.
  ///
  /// - Parameter before: the state in which it rests until what was asked for, by a click, has come to the daemon.
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

  /// The newest job of a file with that name, in the short form.
  func newestJob(named name: String) async throws -> JSONValue? {
    try await jobs().last { $0.name.string == name }
  }

  /// Waits for the end of another scan of the spool.
  func nextScan(line: Int = #line) async throws {
    let last = try await status().spools.array.first?.last_scan
    try await until("another scan", line: line) { try await status().spools.array.first?.last_scan != last }
  }

  /// The counts of jobs by state, as `/v1/status` has them.
  func count(_ state: String) async throws -> Int { try await status().counts[state].int ?? 0 }
}

/// Everything but the letters, digits and marks that no part of a URL gives a meaning to, as `%HH`.
func percentEncoded(_ text: String, keeping kept: String = "") -> String {
  let plain = Set(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" + kept).utf8)
  return text.utf8.map { byte in
    if plain.contains(byte) { return String(UnicodeScalar(byte)) }
    return (byte < 16 ? "%0" : "%") + String(byte, radix: 16).uppercased()
  }.joined()
}
