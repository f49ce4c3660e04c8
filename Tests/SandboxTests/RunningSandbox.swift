import Foundation
import Testing

/// A `waybill-sandbox` of its own for one test, with a folder of its own.
final class RunningSandbox: Sendable {
  static let accessKey = "testkey"
  static let secretKey = "test/secret+key"

  let folder: URL
  let url: String
  private let process: Process

  /// Starts the sandbox and waits until it says where it listens.
  init(_ arguments: [String] = [], folder: URL? = nil) async throws {
    let folder = folder ?? FileManager.default.temporaryDirectory.appending(path: "sandbox-\(UUID())")
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let output = folder.appending(path: "stdout")
    try Data().write(to: output)
    process = Process()
    process.executableURL = Bundle.main.bundleURL.appending(path: "waybill-sandbox")
    process.arguments =
      ["--data", folder.appending(path: "data").path(), "--access-key", Self.accessKey, "--secret-key", Self.secretKey]
      + arguments
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    let start = "listening on "
    var line = ""
    try await eventually("the sandbox listens") {
      line = try String(contentsOf: output, encoding: .utf8)
      return line.hasSuffix("\n")
    }
    try #require(line.hasPrefix(start + "http://127.0.0.1:"))
    url = String(line.dropFirst(start.count).dropLast())
  }

  /// Sends SIGTERM and gives the exit status.
  func terminate() async throws -> Int32 {
    process.terminate()
    try await eventually("the sandbox ends") { !process.isRunning }
    return process.terminationStatus
  }

  /// Ends the process, where the test has not, and removes the folder.
  func close() async throws {
    if process.isRunning { _ = try await terminate() }
    try FileManager.default.removeItem(at: folder)
  }

  /// The lines of the registrations, decoded.
  func registrations() throws -> [[String: Any]] {
    let text = try String(contentsOf: folder.appending(path: "data/registrations.jsonl"), encoding: .utf8)
    return try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  /// The names of the stored files, without the records beside them.
  func objects() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "data/objects").path())
      .filter { !$0.hasPrefix(".") }.sorted()
  }

  /// The bytes of a stored file.
  func object(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: "data/objects/" + name)) }

  /// Writes a file to be sent and gives its path.
  func file(_ bytes: Data) throws -> String {
    let file = folder.appending(path: "file-\(UUID())")
    try bytes.write(to: file)
    return file.path()
  }
}

/// Runs a test with a sandbox and takes everything down after it, whatever became of it.
func withSandbox(_ arguments: [String] = [], _ body: (RunningSandbox) async throws -> Void) async throws {
  let sandbox = try await RunningSandbox(arguments)
  do {
    try await body(sandbox)
  } catch {
    try await sandbox.close()
    throw error
  }
  try await sandbox.close()
}

/// Waits until a condition holds, and fails after 30 seconds.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(30)
  while try await !condition() {
    try #require(ContinuousClock.now < deadline, "waited in vain: \(what)")
    try await Task.sleep(for: .milliseconds(10))
  }
}
