import ChildProcesses
import Foundation
import Glibc

/// A FUSE file system that takes locks away and is slow: `Tests/Support/fickle-fs.py`.
final class FickleDisk: Sendable {
  static let canRun = ForgetfulDisk.canRun

  let url: URL
  private let child: ChildProcess

  /// Mounts one; renames, links and fsyncs take up to so many milliseconds.
  init(_ name: String, in folder: URL, slowness: Int = 20) async throws {
    url = folder.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    child = try ChildProcess(
      ["/usr/bin/python3", Products.support("fickle-fs.py"), url.path, String(slowness)], folder: folder, log: name)
    try await child.prints("that it is mounted") { $0.contains("mounted\n") }
  }

  /// Ends the lock of whoever has one, who gets EIO from then on.
  func loseLock() async throws {
    let lost = child.outputText.split(separator: "\n").count { $0 == "lost" }
    child.signal(SIGUSR2)
    try await child.prints("that a lock was lost") { $0.split(separator: "\n").count { $0 == "lost" } == lost + 1 }
  }

  func unmount() async {
    _ = try? await Command.run(["umount", "--lazy", url.path])
    child.cut()
  }
}
