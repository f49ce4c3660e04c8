import ChildProcesses
import Linux

final class Scratch: Sendable {
  private let folder: TemporaryFolder
  let directory: Directory

  init() throws {
    folder = try TemporaryFolder()
    directory = try Directory(path: folder.path)
  }

  var path: String { folder.path }

  func write(_ text: String, _ name: [UInt8]) throws {
    try directory.create(name, permissions: 0o600).write(Array(text.utf8), path: "a test's file")
  }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
