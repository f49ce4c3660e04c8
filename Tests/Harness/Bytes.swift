import ChildProcesses
import Foundation

/// Contents of files.
enum Bytes {
  /// So many bytes that no two calls share.
  static func random(_ count: Int) throws -> Data {
    guard count > 0 else { return Data() }
    let source = try FileHandle(forReadingFrom: URL(filePath: "/dev/urandom"))
    defer { source.closeFile() }
    var data = Data()
    while data.count < count, let more = try source.read(upToCount: count - data.count) { data += more }
    return data
  }

  /// SHA-256 in hex, by a program that shares nothing with the code under test.
  static func sha256(_ data: Data) async throws -> String {
    String(try await Command.run(["sha256sum"], input: data).output.prefix(64))
  }

  /// SHA-256 in hex of every file in a folder, by name.
  static func manifest(of folder: URL) async throws -> [String: String] {
    let text = try await Command.require(["sh", "-c", "cd \"$1\" && sha256sum -- *", "_", folder.path])
    var manifest: [String: String] = [:]
    for line in text.split(separator: "\n") { manifest[String(line.dropFirst(66))] = String(line.prefix(64)) }
    return manifest
  }
}
