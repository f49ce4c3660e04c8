import ChildProcesses
import Foundation
import Glibc

/// A CephFS of a test's own with two mounts, each a client of its own: what two hosts have of it (`Tests/Support/cephfs-up.sh`).
final class CephFS: Sendable {
  private let folder: TemporaryFolder
  private var server: String { folder.file("cephfs") }

  init() async throws {
    folder = try TemporaryFolder()
    let command = try await Command.run([Products.support("cephfs-up.sh"), folder.file("cephfs")], within: patience)
    guard command.status == 0 else {
      folder.remove()
      throw Missing(command.errors.split(separator: "\n").last.map(String.init) ?? "CephFS did not start")
    }
  }

  /// The mount of a host, which is 0 or 1.
  func mount(_ host: Int) -> URL { URL(filePath: "\(server)/m\(host + 1)", directoryHint: .isDirectory) }

  /// Has all calls of a host hang: its client is stopped.
  func hang(_ host: Int) async throws { try await carryOut("hang", "\(host + 1)") }

  /// Has the client of a host go on.
  func goOn(_ host: Int) async throws { try await carryOut("nohang", "\(host + 1)") }

  /// The same for the end of a test: a daemon whose calls hang cannot be ended.
  func goOnAtOnce(_ host: Int) {
    let note = try? String(contentsOfFile: "\(server)/run/fuse\(host + 1)", encoding: .utf8)
    if let process = note?.split(separator: " ").first.flatMap({ Int32($0) }) { kill(process, SIGCONT) }
  }

  /// Has the metadata server take all that a host's client has, and refuse it until ``readmit()``.
  func evict(_ host: Int) async throws { try await carryOut("evict", "\(host + 1)") }

  /// Lets clients that were evicted come back.
  func readmit() async throws { try await carryOut("noevict") }

  /// Has the metadata server die, and starts it again.
  func restartMetadataServer() async throws { try await carryOut("restart") }

  /// The metadata server's log of its clients and its own state, for whoever reads of a failure.
  func account() -> String {
    let log = (try? String(contentsOfFile: "\(server)/log/mds.a.log", encoding: .utf8)) ?? "no log"
    return log.split(separator: "\n").filter { line in
      ["evict", "stale", "reconnect", "respawn", "state change", "laggy", "late"].contains { line.contains($0) }
    }.suffix(60).joined(separator: "\n")
  }

  private func carryOut(_ words: String...) async throws {
    try await Command.require([Products.support("cephfs-fail.sh"), server] + words)
  }

  /// Ends it. Calls that hang end too.
  func end() async {
    do {
      try await Command.require([Products.support("cephfs-down.sh"), server])
      folder.remove()
    } catch {
      print("ignored: a CephFS in \(server) may be left: \(error)")
    }
  }
}

/// Starts a CephFS for a test and ends it whatever happens.
func withCephFS(_ body: (CephFS) async throws -> Void) async throws {
  let files = try await CephFS()
  do {
    try await body(files)
  } catch {
    await files.end()
    throw error
  }
  await files.end()
}
