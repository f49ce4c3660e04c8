public import Foundation

/// A program run to its end.
public struct Command: Sendable {
  /// Its exit status; 128 + the number of the signal where one ended it, as a shell has it.
  public let status: Int32
  /// What it wrote on standard output.
  public let output: String
  /// What it wrote on standard error.
  public let errors: String

  /// Runs a program found in PATH (or by its whole path); one that does not end in time is killed.
  public static func run(
    _ words: [String], environment: [String: String?] = [:], input: Data? = nil, within limit: Duration = patience,
    file: String = #fileID, line: Int = #line
  ) async throws -> Command {
    let folder = try TemporaryFolder()
    var source = ChildProcess.Input.nothing
    if let input {
      let file = folder.url.appending(path: "in")
      try input.write(to: file)
      source = .file(file)
    }
    let child = try ChildProcess(words, environment: environment, input: source, folder: folder.url)
    return try await child.result(within: limit, file: file, line: line)
  }

  /// Runs a program that has to succeed, for its output.
  @discardableResult
  public static func require(
    _ words: [String], file: String = #fileID, line: Int = #line
  ) async throws -> String {
    let command = try await run(words, file: file, line: line)
    guard command.status == 0 else {
      throw Missing("\(file):\(line): \(words) ended with \(command.status): \(command.errors)")
    }
    return command.output
  }
}
