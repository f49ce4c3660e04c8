import ChildProcesses
import Foundation
import Glibc

@testable import Harness

/// A FUSE file system that takes locks away and is slow: `Tests/Support/fickle-fs.py`.
final class FickleDisk: Sendable {
  let url: URL
  private let faults: URL
  private let child: ChildProcess

  /// Mounts one; renames, links and fsyncs take up to so many milliseconds.
  init(_ name: String, in folder: URL, slowness: Int = 20) async throws {
    url = folder.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    faults = folder.appending(path: name + ".faults")
    child = try ChildProcess(
      ["/usr/bin/python3", Products.support("fickle-fs.py"), url.path, String(slowness), faults.path], folder: folder,
      log: name)
    try await child.prints("that it is mounted") { $0.contains("mounted\n") }
  }

  /// Ends the lock of whoever has one, who gets EIO from then on.
  func loseLock() async throws {
    let lost = lines("lost")
    child.signal(SIGUSR2)
    try await child.prints("that a lock was lost") { $0.split(separator: "\n").count { $0 == "lost" } == lost + 1 }
  }

  /// Has each kind of operation in `.waybill` fail so often with an error from now on, and work later.
  func fail(_ errno: String, times count: Int) async throws {
    try Data("\(errno) \(count)".utf8).write(to: faults)
    let read = lines("faults")
    child.signal(SIGHUP)
    try await child.prints("that it fails") { $0.split(separator: "\n").count { $0 == "faults" } == read + 1 }
  }

  /// The kinds of operations that have failed.
  var failures: Set<Substring> { Set(child.outputText.split(separator: "\n").filter { $0.hasPrefix("failed ") }) }

  private func lines(_ line: String) -> Int { child.outputText.split(separator: "\n").count { $0 == line } }

  func unmount() async {
    _ = try? await Command.run(["umount", "--lazy", url.path])
    child.cut()
  }
}
