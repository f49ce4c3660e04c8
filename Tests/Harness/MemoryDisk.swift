import ChildProcesses
import Foundation
import Glibc

/// A file system of a test's own, small enough to be filled: a tmpfs, which takes root to mount.
final class MemoryDisk: Sendable {
  let url: URL
  /// In bytes.
  let size: Int
  private var filler: URL { url.appending(path: ".filler") }

  /// Mounts one of so many bytes in a folder, and of so many files (0: as many as there are).
  init(_ name: String, bytes: Int, inodes: Int = 0, in folder: URL) async throws {
    url = folder.appending(path: name)
    size = bytes
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try await Command.require([
      "mount", "-t", "tmpfs", "-o", "size=\(bytes),nr_inodes=\(inodes),mode=755", "tmpfs", url.path,
    ])
  }

  /// In bytes.
  var free: Int {
    get throws {
      try FileManager.default.attributesOfFileSystem(forPath: url.path)[.systemFreeSize] as? Int ?? 0
    }
  }

  func fill(leaving rest: Int = 0) async throws {
    let size = try free - rest
    // dd ends with an error where the last bytes do not fit, which is what is wanted
    _ = try await Command.run([
      "dd", "if=/dev/zero", "of=\(filler.path)", "bs=4096", "count=\(rest == 0 ? 1 << 20 : size / 4096)",
    ])
  }

  func empty() throws { try FileManager.default.removeItem(at: filler) }
}

func detach(_ place: URL) {
  if unsafe umount2(place.path, Int32(MNT_DETACH)) != 0 {
    print("ignored: \(place.path) may be left mounted: error \(errno)")
  }
}

func withMemoryDisk(bytes: Int, inodes: Int = 0, _ body: (MemoryDisk) async throws -> Void) async throws {
  let folder = try TemporaryFolder()
  let disk = try await MemoryDisk("disk", bytes: bytes, inodes: inodes, in: folder.url)
  defer { detach(disk.url) }
  try await body(disk)
}
