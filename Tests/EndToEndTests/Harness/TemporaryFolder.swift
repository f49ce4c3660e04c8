import Foundation

/// A folder of a test's own, with a path so short that a socket in it stays under the 108 bytes of `sun_path`.
struct TemporaryFolder {
  let url: URL

  init() throws {
    let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    let name = String((0..<10).compactMap { _ in letters.randomElement() })
    url = URL(filePath: "/tmp/wb-" + name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  }

  /// Makes a folder inside.
  func folder(_ name: String) throws -> URL {
    let folder = url.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Removes it, unless WAYBILL_TEST_KEEP=1 asks to look at it afterwards.
  func remove() {
    guard ProcessInfo.processInfo.environment["WAYBILL_TEST_KEEP"] != "1" else { return }
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      print("ignored: \(url.path) is left behind: \(error)")
    }
  }
}
