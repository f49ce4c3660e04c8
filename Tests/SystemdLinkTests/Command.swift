import Foundation
import Testing

/// Runs programs; what they print goes to files, so that no pipe fills up.
enum Command {
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// A script next to the tests.
  static func support(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Support/\(name)").path
  }

  /// The helper program, built next to the test's own.
  static var probe: String {
    get throws {
      let directory = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        .deletingLastPathComponent()
      return directory.appending(path: "systemd-link-probe").path
    }
  }

  static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await start(program, arguments, environment: environment).outcome()
  }

  static func start(
    _ program: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> RunningCommand {
    try RunningCommand(program, arguments, environment: environment)
  }
}

/// A program that runs.
final class RunningCommand {
  private let process = Process()
  private let directory = TemporaryDirectory()
  private let input = Pipe()
  private let ended: AsyncStream<Void>

  init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    for name in ["out", "err"] {
      guard FileManager.default.createFile(atPath: directory.file(name), contents: nil) else {
        throw CocoaError(.fileWriteUnknown)
      }
    }
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: directory.file("out")))
    process.standardError = try FileHandle(forWritingTo: URL(filePath: directory.file("err")))
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    self.ended = ended
    process.terminationHandler = { _ in continuation.finish() }
    try process.run()
  }

  var pid: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }
  var output: String { get throws { try String(contentsOfFile: directory.file("out"), encoding: .utf8) } }

  /// Gives the program a line to read.
  func enter(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

  /// Waits until it has printed a text.
  func prints(_ text: String) async throws {
    try await eventually("\(process.executableURL?.lastPathComponent ?? "") prints \(text)") {
      try self.output.contains(text)
    }
  }

  /// Waits for the end.
  func outcome() async throws -> Command.Outcome {
    for await _ in ended {}
    // The handler is called a moment before `isRunning` turns; this returns at once.
    process.waitUntilExit()
    defer { directory.remove() }
    return Command.Outcome(
      status: process.terminationStatus, output: try output,
      errors: try String(contentsOfFile: directory.file("err"), encoding: .utf8))
  }
}

/// A directory that is gone after the test.
struct TemporaryDirectory {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.appending(path: "waybill-\(UUID().uuidString.prefix(8))").path
    do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
      Issue.record("no temporary directory: \(error)")
    }
  }

  func file(_ name: String) -> String { path + "/" + name }

  func remove() {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      Issue.record("\(path) stays behind: \(error)")
    }
  }
}

/// Waits for a condition, and records an issue if it does not come true within 20 s.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(20)
  while ContinuousClock.now < deadline {
    if try await condition() { return }
    try await Task.sleep(for: .milliseconds(5))
  }
  Issue.record("not in 20 s: \(what)")
}
