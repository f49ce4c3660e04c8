import ChildProcesses
import Foundation

@testable import Harness

extension FailoverKind {
  /// A script that makes one named `$1` outside of the spool, and renames it into the spool.
  fileprivate var script: String {
    switch self {
    case .file: #"echo "bytes of $1" > "outside/$1" && mv "outside/$1" spool"#
    case .pair:
      #"echo "bytes of $1" > "outside/$1" && echo "{\"case\": \"$1\"}" > "outside/$1.json" && mv "outside/$1" "outside/$1.json" spool"#
    case .group:
      #"mkdir -p "outside/$1/b" && cd "outside/$1" && echo a > a.bin && echo bc > b/c.bin && : > b/d.bin && : > CopyComplete.txt && cd ../.. && mv "outside/$1" spool"#
    }
  }
}

/// Two hosts that share a spool on a CephFS. Each has mounted it with a client of its own.
struct CephFSHosts: Sendable {
  let hosts: Hosts
  let files: CephFS
  let kind: FailoverKind

  /// Drops some at a host's mount. It is a process of its own that waits while that mount hangs.
  func drop(_ names: [String], at host: Int) async throws {
    let script = "set -e; cd '\(files.mount(host).path)'; for name; do set -- \"$name\"; \(kind.script); done"
    try await Command.require(["sh", "-c", script, "sh"] + names)
  }

  /// Waits until a file is registered by one of some daemons, which run: a spool moves whenever the file server takes its time.
  func untilRegistered(_ name: String, at daemons: [Daemon]) async throws {
    try await until("\(name) to be registered") {
      for daemon in daemons where try await daemon.newestJob(named: name)?.state == "registered" { return true }
      return false
    }
  }

  /// Waits until a host that does not hold the spool knows who does.
  func untilStandingBy(_ host: Int) async throws {
    try await until("host \(host) to stand by") {
      let status = try await hosts.daemons[host].status().spools.array.first { $0.name == "documents" }
      return status?.holder.here == .bool(false)
    }
  }
}

/// Starts a CephFS, sets up two hosts on it, and runs the body. No daemon is started.
func withCephFSHosts(
  _ kind: FailoverKind, _ adjust: (inout DaemonSetup) throws -> Void = { _ in },
  _ body: (CephFSHosts) async throws -> Void
) async throws {
  try await withCephFS { files in
    for folder in ["spool", "outside", "archive", "released"] {
      try FileManager.default.createDirectory(
        at: files.mount(0).appending(path: folder), withIntermediateDirectories: true)
    }
    try await withHosts(mounts: [files.mount(0), files.mount(1)]) { setup in
      setup.spoolLines += ["scan_interval = \"200ms\""]
      kind.adjust(&setup)
      setup.delays = Array(repeating: "300ms", count: 100)
      try adjust(&setup)
    } _: { hosts in
      do {
        try await body(CephFSHosts(hosts: hosts, files: files, kind: kind))
      } catch {
        for daemon in hosts.daemons { print(await daemon.standing()) }
        print("What the metadata server did with its clients:\n\(files.account())")
        throw error
      }
    }
  }
}
