import ChildProcesses
import Foundation
import Glibc

/// A network namespace: nothing but a loopback of its own, until it gets a link to another one. It takes root, and goes with
/// its value. The machine's own network stays as it is: other tests' daemons would hear of each change.
final class NetworkNamespace: Sendable {
  private let holder: ChildProcess

  init(in folder: URL, log: String) async throws {
    holder = try ChildProcess(["unshare", "--net", "sleep", "1h"], folder: folder, log: log)
    let path = "/proc/\(holder.pid)"
    try await until("a network namespace") {
      try FileManager.default.destinationOfSymbolicLink(atPath: path + "/ns/net")
        != FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
    }
    try await run("ip", "link", "set", "lo", "up")
  }

  var prefix: [String] { ["nsenter", "--net=/proc/\(holder.pid)/ns/net"] }

  fileprivate func run(_ words: String...) async throws { try await Command.require(prefix + words) }

  fileprivate var pid: Int32 { holder.pid }
}

/// A link from one namespace to a server that listens on the loopback of another one.
struct NetworkLink: Sendable {
  /// The address at which the server is reached from the near side, on its own port: of 198.18.0.0/15, which RFC 2544 sets
  /// aside for tests.
  static let address = "198.18.0.1"

  enum Cut: Sendable, CaseIterable {
    /// It is taken down on the near side, and the routes over it go with it.
    case down
    /// Its cable is pulled: the routes stay, and lead nowhere.
    case unplugged
  }

  private let near: NetworkNamespace
  private let far: NetworkNamespace
  private let relay: ChildProcess

  /// Waits until the server is reached by it; `reaches` asks a server that speaks no HTTP, from the near side.
  init(
    from near: NetworkNamespace, to far: NetworkNamespace, port: Int, in folder: URL,
    reaches: (() async throws -> Bool)? = nil
  ) async throws {
    self.near = near
    self.far = far
    try await near.run("ip", "link", "add", "uplink", "type", "veth", "peer", "name", "downlink", "netns", "\(far.pid)")
    try await near.run("ip", "address", "add", "198.18.0.2/30", "dev", "uplink")
    try await far.run("ip", "address", "add", Self.address + "/30", "dev", "downlink")
    relay = try ChildProcess(
      far.prefix + [
        "systemd-socket-activate", "--listen", "\(Self.address):\(port)", "/lib/systemd/systemd-socket-proxyd",
        "127.0.0.1:\(port)",
      ], folder: folder, log: "relay")
    try await mend(.unplugged)
    try await mend(.down)
    try await until("the link to work") { [relay] in
      guard try relay.ending() == nil else { throw Missing("the relay ended at its start: \(relay.errorText)") }
      if let reaches { return try await reaches() }
      return try await HTTPAnswer.call("GET", "http://\(Self.address):\(port)/", prefix: near.prefix).status != 0
    }
  }

  /// Cuts the link, and waits until that is known on the near side.
  func cut(_ cut: Cut) async throws {
    try await set("down", cut)
    try await until("the link to be down") {
      try await !Command.require(near.prefix + ["ip", "-oneline", "link", "show", "uplink"]).contains("state UP")
    }
  }

  func mend(_ cut: Cut) async throws { try await set("up", cut) }

  private func set(_ state: String, _ cut: Cut) async throws {
    switch cut {
    case .down: try await near.run("ip", "link", "set", "uplink", state)
    case .unplugged: try await far.run("ip", "link", "set", "downlink", state)
    }
  }
}
