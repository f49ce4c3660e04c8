import ChildProcesses
import Foundation

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
}
