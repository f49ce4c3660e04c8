import ChildProcesses
import Foundation

struct StatusLog {
  private let path: String
  private let listener: ChildProcess

  init(in folder: URL, control: String) async throws {
    let path = folder.appending(path: "n.sock").path
    self.path = path
    listener = try ChildProcess(
      [try await Products.python.value, Products.support("unix-socket.py"), "notify-log", path, control],
      folder: folder, log: "notify")
    try await until("the listener to be there") { FileManager.default.fileExists(atPath: path) }
  }

  var environment: [String: String] { ["NOTIFY_SOCKET": path] }

  /// Each message as it came, with `lines` and whether the control socket `answers`.
  func messages() throws -> [JSONValue] {
    let text = listener.outputText
    // the last line may be on its way
    let lines = text[..<(text.lastIndex(of: "\n") ?? text.startIndex)].split(separator: "\n")
    return try lines.map { try JSONValue(parsing: String($0)) }
  }

  /// The last line for `systemctl status`, without `STATUS=`.
  func status() throws -> String? {
    try messages().flatMap(\.lines.array).compactMap(\.string).last { $0.hasPrefix("STATUS=") }
      .map { String($0.dropFirst(7)) }
  }
}
