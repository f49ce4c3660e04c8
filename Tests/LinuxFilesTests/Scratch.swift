import Foundation
import LinuxFiles

/// A directory of a test's own, removed at its end.
final class Scratch: Sendable {
  let path: String
  let directory: Directory

  init() throws {
    path = NSTemporaryDirectory() + "/waybill-files-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    directory = try Directory(path: path)
  }

  // A directory that stays behind harms nobody, and there is no one to tell.
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, _ name: [UInt8]) throws {
    try directory.create(name, permissions: 0o600).write(Array(text.utf8), path: "a test's file")
  }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
