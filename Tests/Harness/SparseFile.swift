import ChildProcesses
import Foundation

/// A large file that is mostly holes: it takes little of the disk, and no two parts of it are alike.
struct SparseFile {
  let url: URL
  let size: Int

  /// Each MiB begins with its offset.
  init(_ url: URL, size: Int) throws {
    self.url = url
    self.size = size
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else { throw Missing(url.path) }
    let handle = try FileHandle(forWritingTo: url)
    defer { handle.closeFile() }
    try handle.truncate(atOffset: UInt64(size))
    for offset in stride(from: 0, to: size, by: 1 << 20) {
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data("\(offset)".utf8.prefix(size - offset)))
    }
  }

  /// SHA-256 in hex, by a program that shares nothing with the code under test.
  func sha256() async throws -> String {
    let command = try await Command.run(["sha256sum", url.path], within: patience + .seconds(size >> 24))
    guard command.status == 0 else { throw Missing("the sum of \(url.path): \(command.errors)") }
    return String(command.output.prefix(64))
  }
}
