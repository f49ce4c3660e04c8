import ChildProcesses
import Foundation

extension DaemonSetup {
  /// Has the files of registered jobs go to an archive beside the spool, and what stays tried again each second.
  mutating func archive() throws {
    let archive = try folder.madeFolder("archive")
    spoolLines = ["after = \"archive\"", "archive = \"\(archive.path)\"", "scan_interval = \"1s\""]
  }
}

extension Rig {
  /// What is in the archive of ``DaemonSetup/archive()``: texts by name. The empty file with which the daemon tries for a moment whether it
  /// can write there is left out.
  func archived() throws -> [String: String] {
    let archive = folder.appending(path: "archive")
    let names = try FileManager.default.contentsOfDirectory(atPath: archive.path)
      .filter { !$0.hasPrefix(".waybill-trial") }
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try String(contentsOf: archive.appending(path: $0), encoding: .utf8)) })
  }
}
