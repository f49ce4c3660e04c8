import ChildProcesses
import Foundation
import Glibc

/// A disk whose power can be cut: what was not synced by then is gone. Whoever wrote to it has to be dead already.
protocol PowerDisk: Sendable {
  var url: URL { get }
  /// Cuts the power and lets it come back, under the same path.
  func cut() async throws
  /// Makes everything that is there durable.
  func settle() async throws
  func unmount()
}

/// An ext4 in a file behind a loop device. The file has what reached the device; a cut is ext4's own shutdown, which has nothing
/// more written, in one moment: a copy of the file could be taken while the kernel writes back, and be a bit of before and after.
///
/// The journal is written only when it is asked for (`commit=`), but then all of it: ext4 hides that a directory was not synced
/// if anything was. It is what many disks are, and SQLite can map its index there. See ``ForgetfulDisk`` for the rest.
actor BlockDisk: PowerDisk {
  nonisolated let url: URL
  private let folder: URL
  private var generation = 0
  private var image: String { folder.appending(path: "\(url.lastPathComponent).\(generation).ext4").path }
  /// EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH (fs/ext4/ext4.h of Linux): the journal is not written any more.
  private static let shutdown =
    "import fcntl, os, struct, sys; fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))"

  init(_ name: String, in folder: URL) async throws {
    self.folder = folder
    url = folder.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try await Command.require(["truncate", "-s", "64M", image])
    try await Command.require([
      "mkfs.ext4", "-q", "-F", "-J", "size=8", "-E", "lazy_itable_init=0,lazy_journal_init=0", image,
    ])
    try await mount()
  }

  private func mount() async throws {
    try await Command.require(["mount", "-o", "loop,commit=3600", image, url.path])
  }

  func cut() async throws {
    try await Command.require([try await Products.python.value, "-c", Self.shutdown, url.path])
    // Other mount namespaces may still hold the old one, with its device: what comes back is a copy.
    let old = image
    generation += 1
    try await Command.require(["cp", "--sparse=always", old, image])
    try await Command.require(["umount", "--lazy", url.path])
    try await mount()
    try FileManager.default.removeItem(atPath: old)
  }

  func settle() async throws { try await Command.require(["sync", "--file-system", url.path]) }

  nonisolated func unmount() { detach(url) }
}

/// A FUSE file system that keeps no more than it was asked to: `Tests/Support/forgetful-fs.py`.
final class ForgetfulDisk: PowerDisk {
  let url: URL
  private let child: ChildProcess

  init(_ name: String, in folder: URL) async throws {
    url = folder.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    // Debian's Python, which has the module from Debian
    child = try ChildProcess(
      ["/usr/bin/python3", Products.support("forgetful-fs.py"), url.path], folder: folder, log: name)
    try await child.prints("that it is mounted") { $0.contains("mounted\n") }
  }

  func cut() async throws {
    let cuts = child.outputText.split(separator: "\n").count { $0 == "cut" }
    child.signal(SIGUSR1)
    try await child.prints("that it was cut") { $0.split(separator: "\n").count { $0 == "cut" } == cuts + 1 }
  }

  func settle() async throws { try await Command.require(["find", url.path, "-exec", "sync", "{}", "+"]) }

  func unmount() {
    detach(url)
    child.cut()
  }
}
