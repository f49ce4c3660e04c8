import ChildProcesses
import Foundation
import Glibc

@testable import Harness

/// Some daemons with ledgers of their own that share one spool, as if each were on a host of its own.
struct Hosts: Sendable {
  let rig: Rig
  let daemons: [Daemon]

  var sandbox: Sandbox { rig.sandbox }
  var claims: URL { rig.setup.spool.appending(path: ".waybill") }

  /// Returns the daemon that holds the spool; nil if none says so.
  func holder() async -> Int? {
    for (index, daemon) in daemons.enumerated() where await holds(daemon) { return index }
    return nil
  }

  func holds(_ daemon: Daemon) async -> Bool {
    guard let child = try? daemon.child(), (try? child.ending()) ?? nil == nil else { return false }
    let status = try? await HTTPAnswer.call(
      "GET", "http://localhost/v1/status", options: ["--unix-socket", daemon.socket], within: 2
    ).json
    return status?.spools.array.first?.holder.here == .bool(true)
  }

  /// Waits until a daemon holds the spool.
  func untilHeld(by index: Int, line: Int = #line) async throws {
    try await until("daemon \(index) to hold the spool", within: patience * 2, line: line) {
      await holds(daemons[index])
    }
  }

  /// Has the lock taken from the daemon that holds it, as a file server does with a client that it has given up.
  func takeLockAway() throws { try FileManager.default.removeItem(at: claims.appending(path: "lock")) }

  /// The number of jobs that the host which holds the spool keeps although they are stopped; -1 if nobody holds it.
  func stoppedAtTheHolder() async throws -> Int {
    guard let holder = await holder() else { return -1 }
    return try await daemons[holder].count("cancelled") + daemons[holder].count("aborted")
  }

  /// The names in `.waybill` but for the lock and the holder.
  func namesInClaims() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: claims.path).filter { !["lock", "holder"].contains($0) }
      .sorted()
  }

  /// What is wrong with the world once all is done. `dropped` are the files, which have names of their own.
  ///
  /// - Parameters:
  ///   - kind: the kind of all of them.
  ///   - stopped: those that must not be registered.
  ///   - uncertain: those that may be.
  func faults(
    _ dropped: [String], kind: FailoverKind = .file, stopped: Set<String> = [], uncertain: Set<String> = []
  ) async throws -> [String] {
    var faults: [String] = []
    let state = try await sandbox.state()
    if state.registrations.mismatched != 0 { faults.append("an id came with two bodies: \(state.registrations)") }
    let lines = try sandbox.registrations().map(\.body)
    let ids = Dictionary(grouping: lines) { $0.id.string ?? "" }
    for (id, lines) in ids where lines.count > 1 { faults.append("\(id) counted \(lines.count) times") }
    let objects = try await sandbox.objects()
    let names = Dictionary(grouping: lines) { $0.name.string ?? "" }
    for name in dropped {
      let count = names[name]?.count ?? 0
      if stopped.contains(name) {
        if count != 0 { faults.append("\(name) was stopped and is registered") }
        continue
      }
      if count == 0, uncertain.contains(name) { continue }
      if count != 1 { faults.append("\(name) is registered \(count) times") }
      guard let body = names[name]?.first else { continue }
      faults += kind.faults(of: body, name, objects)
    }
    if let stranger = names.keys.first(where: { !dropped.contains($0) }) { faults.append("nobody dropped \(stranger)") }
    if let upload = state.uploads.array.first { faults.append("an upload in parts is left: \(upload)") }
    return faults
  }
}

/// Sets up daemons that share a spool and runs the body. None is started.
func withHosts(
  _ count: Int = 2, faults: JSONValue? = nil, environment: [String: String] = [:], line: Int = #line,
  _ adjust: (inout DaemonSetup) throws -> Void = { _ in }, _ body: (Hosts) async throws -> Void
) async throws {
  try await withRig(
    faults: faults, starting: false, environment: environment, line: line,
    {
      $0.spoolLines = ["shared = true", "rescan = \"1s\""]
      try adjust(&$0)
    }
  ) { rig in
    var daemons = [rig.daemon]
    for index in 1..<count {
      var setup = rig.setup
      setup.name = "w\(index)"
      setup.stateFolder = rig.setup.stateFolder.map { $0.appending(path: setup.name) }
      try setup.write()
      daemons.append(Daemon(setup, environment: environment))
    }
    defer {
      for daemon in daemons {
        // One that is stopped has to go on to be ended.
        _ = (try? daemon.pid).map { kill($0, SIGCONT) }
        daemon.cut()
      }
    }
    try await body(Hosts(rig: rig, daemons: daemons))
  }
}
