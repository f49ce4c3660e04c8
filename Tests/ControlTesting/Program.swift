import Foundation

/// How a program ended and what it wrote.
public struct ProgramResult: Sendable {
  /// The exit status.
  public var status: Int32
  /// What it wrote on standard output.
  public var output: String
  /// What it wrote on standard error.
  public var errors: String
}

/// Runs a program to its end; its output goes through files, so that it never waits for us.
public func run(
  _ program: String, _ arguments: [String], environment: [String: String] = [:], input: String = ""
) async throws -> ProgramResult {
  let directory = try TemporaryDirectory()
  defer { directory.remove() }
  func file(_ name: String, _ text: String) throws -> FileHandle {
    let path = directory.path + "/" + name
    try Data(text.utf8).write(to: URL(filePath: path))
    return try FileHandle(forUpdating: URL(filePath: path))
  }
  let process = Process()
  process.executableURL = URL(filePath: program)
  process.arguments = arguments
  process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
  process.standardInput = try file("in", input)
  process.standardOutput = try file("out", "")
  process.standardError = try file("err", "")
  try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
    process.terminationHandler = { _ in continuation.resume() }
    do {
      try process.run()
    } catch {
      process.terminationHandler = nil
      continuation.resume(throwing: error)
    }
  }
  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: directory.path + "/" + name)), as: UTF8.self)
  }
  return ProgramResult(status: process.terminationStatus, output: try text("out"), errors: try text("err"))
}

/// A program that was built beside the tests.
public func built(_ name: String) -> String {
  URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
}
