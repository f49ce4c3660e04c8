import ChildProcesses
import Foundation
import Glibc
import Synchronization

@testable import Harness

/// A container of the image of the programs under test, run by runc. It shares the loopback with the test's servers.
final class Container: Sendable {
  /// The image as an OCI layout, made once a run. WAYBILL_TEST_IMAGE names one that `make image` made, of the packages of release
  /// builds and Debian's own libraries.
  private static let image = Task {
    if let made = ProcessInfo.processInfo.environment["WAYBILL_TEST_IMAGE"] { return made }
    let folder = Products.source(".build-image/tests")
    return try await Command.require([
      Products.source("scripts/image"), "--programs", Products.folder.path, "--to", folder,
    ]).trimmingCharacters(in: .newlines)
  }

  private let folder: URL
  private let name = "waybill-test-\(getpid())-\(UUID().uuidString.prefix(8))"
  let metrics = Ports.free()
  private let bundle: URL
  private let state = Mutex<(child: ChildProcess?, starts: Int, running: String?)>((nil, 0, nil))
  private let variables: [String]
  /// The folders, in the one that was given, of what is mounted where.
  private static let mounts = ["/spool/scans": "spool", "/back": "back", "/var/lib/waybill": "state"]

  /// One that is configured by variables alone, as a person gives them, with the spool `scans` and a volume at `/back`.
  init(in folder: URL, _ sandbox: Sandbox) async throws {
    self.folder = folder
    bundle = folder.appending(path: "bundle")
    for name in Self.mounts.values {
      let path = folder.appending(path: name).path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      guard unsafe chown(path, Self.user, Self.user) == 0 else { throw Missing("a folder for its user: \(errno)") }
    }
    try await Command.require(["umoci", "unpack", "--image", try await Self.image.value, self.bundle.path])
    variables = [
      "WAYBILL_STORAGE_MAIN_ENDPOINT=\(sandbox.storage.endpoint)",
      "WAYBILL_STORAGE_MAIN_BUCKET=\(sandbox.storage.bucket)",
      "WAYBILL_STORAGE_MAIN_ACCESS_KEY=\(sandbox.storage.accessKey)",
      "WAYBILL_STORAGE_MAIN_SECRET_KEY=\(sandbox.storage.secretKey)", "WAYBILL_BACKEND_MAIN_URL=\(sandbox.backend)",
      "WAYBILL_SPOOL_SCANS_PATH=/spool/scans", "WAYBILL_SPOOL_SCANS_SETTLE_UNSEEN=200ms",
      "WAYBILL_DAEMON_METRICS=127.0.0.1:\(metrics)",
    ]
  }

  private static let user: UInt32 = 1000

  /// Starts the image's own program with its own settings, and the variables that a person would give.
  func start(_ more: [String] = []) throws {
    let file = bundle.appending(path: "config.json")
    guard var spec = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any],
      var process = spec["process"] as? [String: Any], var linux = spec["linux"] as? [String: Any],
      var mounts = spec["mounts"] as? [[String: Any]], var root = spec["root"] as? [String: Any]
    else { throw Missing("a bundle in the form of the runtime specification") }
    let own = (process["env"] as? [String] ?? []).filter { !$0.hasPrefix("WAYBILL_DAEMON_METRICS=") }
    let set = own.filter { variable in !variables.contains { $0.prefix { $0 != "=" } == variable.prefix { $0 != "=" } }
    }
    process["env"] = set + variables + more
    process["terminal"] = false
    process["noNewPrivileges"] = true
    process["capabilities"] = ["bounding": [], "effective": [], "permitted": [], "inheritable": [], "ambient": []]
    root["readonly"] = true
    linux["namespaces"] = [["type": "pid"], ["type": "ipc"], ["type": "uts"], ["type": "mount"]]
    linux["resources"] = [String: Any]()
    // The image's own volumes give way.
    let replaced = Set(Self.mounts.keys).union(["/spool", "/var/lib/waybill", "/run/waybill"])
    mounts.removeAll { replaced.contains($0["destination"] as? String ?? "") || $0["type"] as? String == "cgroup" }
    for (path, name) in Self.mounts.sorted(by: { $0.key < $1.key }) {
      mounts.append([
        "destination": path, "type": "bind", "source": folder.appending(path: name).path, "options": ["rbind", "rw"],
      ])
    }
    mounts.append([
      "destination": "/run/waybill", "type": "tmpfs", "source": "tmpfs",
      "options": ["mode=0750", "uid=1000", "gid=1000"],
    ])
    spec["process"] = process
    spec["linux"] = linux
    spec["root"] = root
    spec["mounts"] = mounts
    try JSONSerialization.data(withJSONObject: spec).write(to: file)
    try state.withLock { state in
      state.starts += 1
      let name = "\(name)-\(state.starts)"
      state.running = name
      state.child = try ChildProcess(
        ["runc", "run", "--bundle", bundle.path, name], folder: folder,
        log: "\(bundle.lastPathComponent).\(state.starts)")
    }
  }

  private func running() throws -> (child: ChildProcess, name: String) {
    guard case (let child?, _, let name?) = state.withLock({ $0 }) else { throw Missing("no container was started") }
    return (child, name)
  }

  var errorText: String { (try? running().child.errorText) ?? "" }

  /// The lines of its standard error: each is an entry.
  func entries() throws -> [JSONValue] {
    let text = errorText
    return try text[..<(text.lastIndex(of: "\n") ?? text.startIndex)].split(separator: "\n").map {
      try JSONValue(parsing: String($0))
    }
  }

  func probe(_ path: String) async throws -> HTTPAnswer {
    try await HTTPAnswer.call("GET", "http://127.0.0.1:\(metrics)\(path)")
  }

  func isReady() async throws {
    try await until("the container to be ready") {
      if let end = try running().child.ending() { throw Missing("it ended (\(end)): \(errorText)") }
      return (try? await probe("/readyz").status) == 200
    }
  }

  func drop(_ name: String) throws {
    let spool = folder.appending(path: "spool")
    let file = spool.appending(path: ".\(name).part")
    try Data("some bytes\n".utf8).write(to: file)
    guard unsafe chown(file.path, Self.user, Self.user) == 0 else { throw Missing("a file of its user: \(errno)") }
    try FileManager.default.moveItem(at: file, to: spool.appending(path: name))
  }

  func givenBack() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "back").path)
  }

  func kill(_ signal: String) async throws { try await Command.require(["runc", "kill", try running().name, signal]) }

  func end() async throws -> ChildProcess.End { try await running().child.end() }

  func run(_ words: String...) async throws -> Command {
    try await Command.run(["runc", "exec", try running().name] + words)
  }

  func remove() async {
    guard let (child, name) = try? running() else { return }
    _ = try? await Command.run(["runc", "delete", "--force", name])  // it is gone already after an end in order
    child.cut()
  }
}
