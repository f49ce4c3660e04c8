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
///
/// - Parameter mounts: where each host has mounted the file system with the folder `spool` that they share. In lines of the
///   configuration, `@MOUNT@` is its own one, and `@HOST@` its number.
func withHosts(
  _ count: Int = 2, faults: JSONValue? = nil, environment: [String: String] = [:], line: Int = #line,
  mounts: [URL] = [],
  _ adjust: (inout DaemonSetup) throws -> Void = { _ in }, _ body: (Hosts) async throws -> Void
) async throws {
  var template: DaemonSetup?
  try await withRig(
    faults: faults, starting: false, environment: environment, line: line,
    {
      $0.spoolLines = ["shared = true", "scan_interval = \"1s\""]
      try adjust(&$0)
      template = $0
      $0 = $0.onHost(0, mounts)
    }
  ) { rig in
    var daemons = [rig.daemon]
    for index in 1..<count {
      var setup = (template ?? rig.setup).onHost(index, mounts)
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

extension DaemonSetup {
  /// The setup of one of several hosts; without mounts it is the same on each.
  fileprivate func onHost(_ host: Int, _ mounts: [URL]) -> DaemonSetup {
    guard host < mounts.count else { return self }
    func own(_ text: String) -> String {
      text.replacingOccurrences(of: "@MOUNT@", with: mounts[host].path)
        .replacingOccurrences(of: "@HOST@", with: "\(host)")
    }
    var setup = self
    setup.spoolFolder = mounts[host].appending(path: "spool")
    setup.spoolLines = spoolLines.map(own)
    setup.daemonLines = daemonLines.map(own)
    setup.furtherSpools = own(furtherSpools)
    return setup
  }
}
