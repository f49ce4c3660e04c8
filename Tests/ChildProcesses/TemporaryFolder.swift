public import Foundation

/// A folder of a test's own, with a path so short that a socket in it stays under the 108 bytes of `sun_path`.
///
/// It is in `TMPDIR` if that is as short as the folder that `scripts/test` makes and removes, and else in `/tmp`. It goes with its
/// value; with WAYBILL_TEST_KEEP=1 it stays, to be looked at afterwards.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let url: URL

  /// Where it is, as a path without a slash at its end.
  public var path: String { url.path }

  /// Makes a new one, under the first name that is free: so short a name comes twice among those of a long run.
  /// - Parameter inMemory: true for one in `/dev/shm`, which is another file system.
  public init(inMemory: Bool = false) throws {
    let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    let parent = ProcessInfo.processInfo.environment["TMPDIR"].map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    let own = parent.flatMap { $0.utf8.count <= 13 && $0 != "/tmp/" ? $0 : nil } ?? "/tmp/wb-"
    let start = inMemory ? "/dev/shm/wb-" : own
    while true {
      let name = String((start.utf8.count..<18).compactMap { _ in letters.randomElement() })
      let url = URL(filePath: start + name, directoryHint: .isDirectory)
      do {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        self.url = url
        return
      } catch CocoaError.fileWriteFileExists {
        continue
      }
    }
  }

  deinit { remove() }

  /// The path of a file inside, be it there or not.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Makes a folder inside.
  public func folder(_ name: String) throws -> URL { try url.madeFolder(name) }

  /// Writes a file inside, with the folders above it, and returns its path.
  @discardableResult
  public func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

  /// Writes a file inside, with the folders above it, and returns its path.
  @discardableResult
  public func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return file.path
  }

  /// Removes it with all that is in it, if it is still there.
  public func remove() {
    guard ProcessInfo.processInfo.environment["WAYBILL_TEST_KEEP"] != "1" else { return }
    guard FileManager.default.fileExists(atPath: path) else { return }
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      print("ignored: \(path) is left behind: \(error)")
    }
  }
}

extension URL {
  /// Makes a folder in this one, with those above it, unless it is there.
  public func madeFolder(_ name: String) throws -> URL {
    let folder = appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
