import ChildProcesses
import Foundation
import Glibc
import Testing

/// A `waybill-sandbox` of its own for one test, with a folder of its own.
final class RunningSandbox: Sendable {
  static let accessKey = "testkey"
  static let secretKey = "test/secret+key"

  let folder: TemporaryFolder
  let url: String
  private let child: ChildProcess

  /// Starts the sandbox and waits until it says where it listens; with a folder, on what another one left in it.
  init(_ arguments: [String] = [], folder: TemporaryFolder? = nil) async throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    let words = ["--data", folder.file("data"), "--access-key", Self.accessKey, "--secret-key", Self.secretKey]
    child = try ChildProcess([Products.sandbox] + words + arguments)
    let start = "listening on "
    let line = try await child.prints("\n")
    try #require(line.hasPrefix(start + "http://127.0.0.1:"))
    url = String(line.dropFirst(start.count).dropLast())
  }

  /// Sends SIGTERM and gives the exit status; 128 + the signal's number where it ended by one.
  func terminate() async throws -> Int32 {
    child.signal(SIGTERM)
    return try await child.result().status
  }

  /// Ends the process, where the test has not, and removes the folder.
  func close() {
    child.cut()
    folder.remove()
  }

  /// The lines of the registrations, decoded.
  func registrations() throws -> [[String: Any]] {
    let text = try String(contentsOf: folder.url.appending(path: "data/registrations.jsonl"), encoding: .utf8)
    return try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  /// The names of the stored files, without the records beside them.
  func objects() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "data/objects").path())
      .filter { !$0.hasPrefix(".") }.sorted()
  }

  /// Writes a file to be sent and gives its path.
  func file(_ bytes: Data) throws -> String {
    let file = folder.url.appending(path: "file-\(UUID())")
    try bytes.write(to: file)
    return file.path()
  }
}

/// Runs a test with a sandbox and takes everything down after it, whatever became of it.
func withSandbox(_ arguments: [String] = [], _ body: (RunningSandbox) async throws -> Void) async throws {
  let sandbox = try await RunningSandbox(arguments)
  defer { sandbox.close() }
  try await body(sandbox)
}
