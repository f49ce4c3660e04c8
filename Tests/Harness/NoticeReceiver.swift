import ChildProcesses
import Foundation

/// A receiver of pings and webhooks on loopback, which writes down what it gets.
struct NoticeReceiver: Sendable {
  let process: ChildProcess
  /// The file that says what it answers.
  let answer: URL
  let url: String

  /// Starts one and waits until it listens.
  init(in folder: URL) async throws {
    let answer = folder.appending(path: "answer")
    self.answer = answer
    process = try ChildProcess(
      [try await Products.python.value, Products.support("notice-receiver.py"), answer.path], folder: folder,
      log: "notices")
    let port = try await process.prints("its port") { $0.contains("\n") }.prefix { $0 != "\n" }
    url = "http://127.0.0.1:\(port)"
  }

  /// Has it answer with this status, or not at all.
  func answers(_ words: String) throws { try words.write(to: answer, atomically: true, encoding: .utf8) }

  /// The requests so far.
  func requests(_ path: String) throws -> [JSONValue] {
    // The last line may be on its way.
    try process.outputText.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast()
      .map { try JSONValue(parsing: String($0)) }.filter { $0.path.string == path }
  }

  /// Waits for a request like that.
  @discardableResult
  func got(
    _ path: String, after count: Int = 0, line: Int = #line, _ isIt: (JSONValue) -> Bool = { _ in true }
  ) async throws -> JSONValue {
    try await until("a request to \(path)", line: line) { try requests(path).dropFirst(count).first(where: isIt) }
  }

  /// Waits until no such request has come for three seconds.
  func falls(silent path: String, line: Int = #line) async throws {
    var (count, since) = (-1, ContinuousClock.now)
    try await until("an end of the requests to \(path)", line: line) {
      let now = try requests(path).count
      if now != count { (count, since) = (now, .now) }
      return since.duration(to: .now) > .seconds(3)
    }
  }

  /// The notices that it took.
  func notices(_ path: String) throws -> [JSONValue] {
    try requests(path).filter { $0.answer == "200" }.flatMap {
      try JSONValue(parsing: $0.body.string ?? "").notices.array
    }
  }

  /// For the end of a test.
  func cut() { process.cut() }
}
