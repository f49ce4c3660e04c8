import ChildProcesses
import Foundation
import Glibc

@testable import Harness

/// A machine of a test's own: a real systemd as PID 1 of its own namespaces, over an overlay of this machine's files
/// (`Tests/Support/systemd-up.sh`). What is written in it goes with it. It shares the loopback, so that what runs in it
/// reaches the servers of a test. It takes root.
///
/// `WAYBILL_TEST_SYSTEMD_TREE` names the root of another system, whose systemd is booted instead.
final class SystemdMachine: Sendable {
  static let tree = ProcessInfo.processInfo.environment["WAYBILL_TEST_SYSTEMD_TREE"]

  private let folder: String
  private let pid: Int32

  /// Boots one. `binds` are files and folders of this machine that are seen in it, by the path that they have there; `tree` is the
  /// root of another system.
  init(in folder: URL, binds: [String: String] = [:], tree: String? = tree) async throws {
    self.folder = folder.path
    var words = [Products.support("systemd-up.sh"), folder.path, "--owner", String(getpid())]
    if let tree { words += ["--root", tree] }
    var binds = binds
    // debug builds find Swift's libraries where they were when it was built
    if tree != nil, let runtime = try await Self.swiftRuntime() { binds[runtime] = runtime }
    for (seen, source) in binds.sorted(by: { $0.key < $1.key }) { words += ["--bind", "\(source):\(seen)"] }
    try await Command.require(words)
    let text = try String(contentsOf: folder.appending(path: "pid"), encoding: .utf8)
    guard let pid = Int32(text.split(separator: "\n").first ?? "") else { throw Missing("a pid: \(text)") }
    self.pid = pid
  }

  private static func swiftRuntime() async throws -> String? {
    let words = try await Command.require(["ldd", Products.daemon]).split(whereSeparator: \.isWhitespace)
    let library = "/libswiftCore.so"
    return words.first { $0.hasSuffix(library) }.map { String($0.dropLast(library.count)) }
  }

  /// Where a file of it is seen from outside, by its whole path. One behind an absolute symbolic link is not.
  func outside(_ path: String) -> String { "/proc/\(pid)/root\(path)" }

  func write(_ path: String, _ text: String) throws {
    let file = URL(filePath: outside(path))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func read(_ path: String) throws -> String { try String(contentsOfFile: outside(path), encoding: .utf8) }

  func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: outside(path)) }

  /// Runs a command in it, outside of any unit, as root or as another of its users.
  @discardableResult
  func run(_ words: [String], as user: String? = nil, file: String = #fileID, line: Int = #line) async throws -> Command
  {
    try await Command.run(self.words(words, as: user), file: file, line: line)
  }

  @discardableResult
  func run(_ words: String..., file: String = #fileID, line: Int = #line) async throws -> Command {
    try await run(words, file: file, line: line)
  }

  @discardableResult
  func require(
    _ words: [String], as user: String? = nil, file: String = #fileID, line: Int = #line
  ) async throws -> String {
    try await Command.require(self.words(words, as: user), file: file, line: line)
  }

  @discardableResult
  func require(_ words: String..., file: String = #fileID, line: Int = #line) async throws -> String {
    try await require(words, file: file, line: line)
  }

  func words(_ words: [String], as user: String? = nil) -> [String] {
    let change = user.map { ["setpriv", "--reuid", $0, "--regid", $0, "--init-groups", "--"] } ?? []
    return [Products.support("systemd-exec.sh"), folder] + change + words
  }

  /// For the end of a test: it is gone at once, whatever it does.
  func cut() async {
    do {
      try await Command.require([Products.support("systemd-down.sh"), folder])
    } catch {
      print("ignored: a machine in \(folder) may be left: \(error)")
    }
  }
}

func withMachine(_ body: (SystemdMachine) async throws -> Void) async throws {
  try await withMachine(binds: SystemdMachine.programs) { machine in
    try await machine.installUnits()
    try await body(machine)
  }
}

func withMachine(
  binds: [String: String], tree: String? = SystemdMachine.tree, _ body: (SystemdMachine) async throws -> Void
) async throws {
  let folder = try TemporaryFolder()
  let machine = try await SystemdMachine(in: folder.url, binds: binds, tree: tree)
  do {
    try await body(machine)
  } catch {
    await machine.cut()
    throw error
  }
  await machine.cut()
}
