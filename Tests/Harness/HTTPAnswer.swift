import ChildProcesses
import Foundation

struct HTTPAnswer: Sendable {
  /// 0 where no answer came.
  var status: Int
  var contentType: String
  var body: String
  var trouble: (any Error)?

  var json: JSONValue {
    get throws {
      if status == 0 { throw trouble ?? NoAnswer(description: "no answer came") }
      return try JSONValue(parsing: body)
    }
  }

  /// Makes a call: in this process, or with curl where that has something to do that takes another program.
  static func call(
    _ method: String, _ url: String, body: String? = nil, options: [String] = [],
    within seconds: Int = Int(patience / .seconds(1)), prefix: [String] = []
  ) async throws -> HTTPAnswer {
    if options.isEmpty, prefix.isEmpty, url.hasPrefix("http://"), !isProxied {
      return try await KeptConnections.call(method, url, body: body, within: .seconds(seconds))
    }
    var words = prefix + ["curl", "-q", "-sS", "--noproxy", "*", "--max-time", String(seconds), "-X", method]
    words += ["-w", "\n%{http_code} %{content_type}"] + options
    // By its input: a body may be longer than a program's argument.
    if body != nil { words += ["-H", "Content-Type: application/json", "--data-binary", "@-"] }
    let command = try await Command.run(words + [url], input: body.map { Data($0.utf8) })
    var lines = command.output.split(separator: "\n", omittingEmptySubsequences: false)
    let facts = lines.popLast()?.split(separator: " ", maxSplits: 1) ?? []
    return HTTPAnswer(
      status: facts.first.flatMap { Int($0) } ?? 0, contentType: facts.count > 1 ? String(facts[1]) : "",
      body: lines.joined(separator: "\n"), trouble: NoAnswer(description: command.errors))
  }

  /// Whether libcurl in this process would go by a proxy, also on the loopback.
  private static let isProxied = ["http_proxy", "all_proxy", "ALL_PROXY"].contains {
    ProcessInfo.processInfo.environment[$0]?.isEmpty == false
  }
}

/// Nobody answered. Somebody may soon: a daemon that is being started, or one whose socket is crowded.
struct NoAnswer: PassingTrouble, CustomStringConvertible {
  let description: String
}
