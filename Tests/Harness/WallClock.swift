import ChildProcesses
import Foundation

/// A wall clock that can be set, for programs that are started with it preloaded. Times of files and waits stay real.
struct WallClock {
  private let library: String
  private let file: URL

  /// The environment of a program that goes by it. What all programs of the run have preloaded stays.
  var variables: [String: String] {
    let others = ProcessInfo.processInfo.environment["LD_PRELOAD"].map { ":" + $0 } ?? ""
    return ["LD_PRELOAD": library + others, "WALL_CLOCK": file.path]
  }

  /// Makes it in a folder. It is compiled by the compiler that comes with Swift.
  init(in folder: URL) async throws {
    library = folder.appending(path: "wall-clock.so").path
    file = folder.appending(path: "wall-clock")
    try set(hours: 0)
    try await Command.require(
      ["clang", "-O1", "-shared", "-fPIC", "-o", library, Products.support("wall-clock.c")])
  }

  /// Sets it so far ahead of the machine's. The file stays the same one: it is mapped.
  func set(hours: Double) throws {
    let seconds = Int64(hours * 3600)
    let bytes = Data((0..<8).map { UInt8(truncatingIfNeeded: seconds >> ($0 * 8)) })
    guard FileManager.default.fileExists(atPath: file.path) else { return try bytes.write(to: file) }
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }
}
