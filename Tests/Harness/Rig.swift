import ChildProcesses
import Foundation
import Testing

/// What one test works with: a folder, the servers, and a daemon between.
struct Rig: Sendable {
  let folder: URL
  let sandbox: Sandbox
  let daemon: Daemon
  let journal: Journal?

  var setup: DaemonSetup { daemon.setup }

  /// Puts a file into the spool the right way: written elsewhere on the same file system, renamed in.
  func drop(_ name: String, _ data: Data = Data("some bytes\n".utf8), in folder: String? = nil) throws {
    let spool = folder.map { self.folder.appending(path: $0) } ?? setup.spool
    let outside = try self.folder.madeFolder("outside")
    let file = outside.appending(path: name)
    try data.write(to: file)
    try FileManager.default.moveItem(at: file, to: spool.appending(path: name))
  }

  /// Drops a file and waits until its job is in that state. An earlier job of a file with the same name does not count.
  @discardableResult
  func drop(_ name: String, until state: String, line: Int = #line) async throws -> JSONValue {
    let earlier = try await daemon.newestJob(named: name)?.job.int ?? 0
    try drop(name)
    return try await daemon.job(named: name, in: state, newerThan: earlier, line: line)
  }

  /// Has the daemon read its configuration with these changes from the one that it began with, which it has to accept.
  @discardableResult
  func reload(_ change: (inout DaemonSetup) throws -> Void = { _ in }) async throws -> Command {
    var setup = setup
    try change(&setup)
    try setup.write()
    return try await reload(toml: setup.toml)
  }

  @discardableResult
  func reload(toml: String) async throws -> Command {
    try toml.write(to: setup.config, atomically: true, encoding: .utf8)
    let reload = try await daemon.waybill("reload")
    #expect(reload.status == 0, "\(reload)")
    return reload
  }

  func untilDisposed(line: Int = #line) async throws {
    try await until("the disposals", line: line) {
      try await daemon.jobs().allSatisfy { $0.disposed_at.string != nil }
    }
  }

  /// The files that are left in the spool, the claimed ones among them and the daemon's own lock not.
  func filesLeft() throws -> [String] {
    let claimed = setup.spool.appending(path: ".waybill").path
    return
      (try FileManager.default.contentsOfDirectory(atPath: setup.spool.path).filter { $0 != ".waybill" }
      + FileManager.default.contentsOfDirectory(atPath: claimed).filter { $0.contains("~") }).sorted()
  }

  /// The regular files in a spool and below it, but for the daemon's lock.
  func filesInSpool(_ spool: URL? = nil) -> [String] {
    let keys: Set<URLResourceKey> = [.isRegularFileKey]
    let all = FileManager.default.enumerator(at: spool ?? setup.spool, includingPropertiesForKeys: Array(keys))
    let urls = all?.compactMap { $0 as? URL } ?? []
    // one that has gone meanwhile is no file
    return urls.filter { (try? $0.resourceValues(forKeys: keys))?.isRegularFile == true }.map(\.path)
      .filter { !$0.hasSuffix("/.waybill/lock") }
  }
}

/// Sets up a rig, starts its daemon unless told not to, runs the body, and ends every process whatever happened.
func withRig(
  faults: JSONValue? = nil, journal wantsJournal: Bool = false, starting: Bool = true,
  environment: [String: String] = [:], users: OtherUsers? = nil, prefix: [String] = [],
  sandbox arguments: [String] = [],
  line: Int = #line,
  _ adjust: (inout DaemonSetup) throws -> Void = { _ in },
  _ body: (Rig) async throws -> Void
) async throws {
  let folder = try TemporaryFolder()
  let sandbox = try await Sandbox(in: folder.url, arguments: arguments)
  var setup = DaemonSetup(folder: folder.url, storage: sandbox.storage, backend: sandbox.backend)
  var journal: Journal?
  var daemon: Daemon?
  do {
    if let faults { try await sandbox.fail(faults) }
    try adjust(&setup)
    try setup.write()
    try await users?.own(setup)
    if wantsJournal { journal = try await Journal(in: folder.folder("journal")) }
    let started = Daemon(setup, journal: journal, prefix: (users?.prefix ?? []) + prefix, environment: environment)
    daemon = started
    if starting { try await started.start(line: line) }
    try await body(Rig(folder: folder.url, sandbox: sandbox, daemon: started, journal: journal))
  } catch {
    let words = (try? daemon?.errorText) ?? "none was started"
    let standing = await daemon?.standing() ?? ""
    Issue.record("\(error)\nthe daemon's last words: \(words.suffix(2000))\n\(standing)")
  }
  daemon?.cut()
  sandbox.cut()
  await journal?.end()
}

extension JSONValue {
  var existingPath: String? {
    self["path"].string.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
  }
}

extension Daemon {
  /// The daemon's own account of where everything stands, for whoever reads of a failure.
  func standing() async -> String {
    var account: [String] = []
    let left = (try? FileManager.default.contentsOfDirectory(atPath: setup.spool.path)) ?? []
    for words in [["status"], ["list", "--limit", "20"], ["explain"] + left.sorted().prefix(5)] {
      let command = try? await waybill(words)
      account.append(
        "waybill \(words.joined(separator: " ")):\n\(command.map { $0.output + $0.errors } ?? "no answer")")
    }
    return account.joined()
  }
}
