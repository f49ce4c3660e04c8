import Foundation

/// A program run to its end.
struct Command {
  let status: Int32
  let output: String
  let errors: String

  /// Runs a program found in PATH (or by its whole path). A program that a signal ended has status 128 + its number.
  static func run(
    _ words: [String], environment: [String: String?] = [:], input: Data? = nil, within limit: Duration = patience,
    line: Int = #line
  ) async throws -> Command {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var source: URL?
    if let input {
      let file = folder.url.appending(path: "in")
      try input.write(to: file)
      source = file
    }
    let child = try ChildProcess(words, environment: environment, input: source, folder: folder.url, log: "c")
    defer { child.cut() }
    let status: Int32 =
      switch try await child.end(within: limit, line: line) {
      case .exit(let status): status
      case .signal(let number): 128 + number
      }
    return Command(status: status, output: child.outputText, errors: child.errorText)
  }

  /// Runs a program that has to succeed, for its output.
  @discardableResult
  static func require(_ words: [String], line: Int = #line) async throws -> String {
    let command = try await run(words, line: line)
    guard command.status == 0 else {
      throw Missing("line \(line): \(words) ended with \(command.status): \(command.errors)")
    }
    return command.output
  }
}
