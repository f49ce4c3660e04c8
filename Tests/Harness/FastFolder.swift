import Foundation

/// A folder in memory, and so in another file system than those of ``TemporaryFolder``.
final class FastFolder: Sendable {
  let url = URL(filePath: "/dev/shm/wb-\(UUID().uuidString.prefix(8))")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  func remove() {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      print("ignored: \(url.path) is left behind: \(error)")
    }
  }
}
