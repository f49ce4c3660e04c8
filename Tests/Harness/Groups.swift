import ChildProcesses
import Foundation

enum Groups {
  static func adjust(_ setup: inout DaemonSetup, _ lines: [String] = [], marker: String = "CopyComplete.txt") {
    setup.spoolLines += ["marker = \"\(marker)\""] + lines
  }

  static let paths = ["a.pdf", "data/b.bin", "data/deep/c d.bin", ".hidden", "data/CopyComplete.txt", "empty"]

  static func make(_ folder: URL, _ files: [String: Data]) throws {
    for (path, data) in files {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file)
    }
  }

  static func bytes() throws -> [String: Data] {
    try Dictionary(
      uniqueKeysWithValues: paths.map { ($0, $0 == "empty" ? Data() : try Bytes.random(2000 + $0.utf8.count)) })
  }

  /// Makes a group beside the spool and moves it in.
  @discardableResult
  static func drop(_ rig: Rig, _ name: String, _ files: [String: Data]? = nil) throws -> [String: Data] {
    let files = try files ?? bytes()
    let outside = try rig.folder.madeFolder(name)
    try make(outside, files.merging(["CopyComplete.txt": Data("done".utf8)]) { $1 })
    try FileManager.default.moveItem(at: outside, to: rig.setup.spool.appending(path: name))
    return files
  }
}
