import ChildProcesses
import Foundation
import Glibc

/// A network namespace: nothing but a loopback of its own, until it gets a link to the machine's. It takes root, and goes with
/// its value.
final class NetworkNamespace: Sendable {
  /// Whether the tests that need it run.
  static let canRun = geteuid() == 0

  private let holder: ChildProcess

  /// Makes one.
  init(in folder: URL) async throws {
    holder = try ChildProcess(["unshare", "--net", "sleep", "1h"], folder: folder, log: "namespace")
    let path = "/proc/\(holder.pid)"
    try await until("a network namespace") {
      try FileManager.default.destinationOfSymbolicLink(atPath: path + "/ns/net")
        != FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
    }
    try await run("ip", "link", "set", "lo", "up")
  }

  /// The words before a command that make it run in here.
  var prefix: [String] { ["nsenter", "--net=/proc/\(holder.pid)/ns/net"] }

  /// For the end of a test: links go with the last process in here.
  func cut() { holder.cut() }

  /// Runs a command in here that has to succeed.
  fileprivate func run(_ words: String...) async throws { try await Command.require(prefix + words) }

  fileprivate var pid: Int32 { holder.pid }
}

/// A link from a namespace to one server that listens on the machine's loopback.
struct NetworkLink: Sendable {
  /// The address at which the server is reached from inside, on its own port: of 198.18.0.0/15, which RFC 2544 sets aside.
  let address: String
  private let device: String
  private let namespace: NetworkNamespace
  private let relay: ChildProcess

  /// How a link is cut.
  enum Cut: Sendable, CaseIterable {
    /// It is taken down inside, and the routes over it go with it.
    case down
    /// Its cable is pulled: the routes stay, and lead nowhere.
    case unplugged
  }

  /// Makes it, and takes it up. The port is the server's alone, so that what is made of it is nobody else's.
  init(from namespace: NetworkNamespace, to port: Int, in folder: URL) async throws {
    self.namespace = namespace
    let net = "198.18.\(port / 64 % 256)."
    let (theirs, ours) = (net + String(port % 64 * 4 + 1), net + String(port % 64 * 4 + 2))
    device = "waybill\(port)"
    for words in [
      ["link", "add", device, "type", "veth", "peer", "name", "uplink", "netns", String(namespace.pid)],
      ["address", "add", theirs + "/30", "dev", device], ["link", "set", device, "up"],
    ] { try await Command.require(["ip"] + words) }
    try await namespace.run("ip", "address", "add", ours + "/30", "dev", "uplink")
    relay = try ChildProcess(
      [
        "systemd-socket-activate", "--listen", "\(theirs):\(port)", "/lib/systemd/systemd-socket-proxyd",
        "127.0.0.1:\(port)",
      ], folder: folder, log: "relay")
    address = theirs
    try await mend(.down)
    try await until("the link to work") { [relay] in
      guard try relay.ending() == nil else { throw Missing("the relay ended at its start: \(relay.errorText)") }
      let url = "http://\(theirs):\(port)/_admin/state"
      return try await Command.run(namespace.prefix + ["curl", "-q", "-sS", "--noproxy", "*", url]).status == 0
    }
  }

  /// Cuts the link, and waits until that is known inside.
  func cut(_ cut: Cut) async throws {
    try await set("down", cut)
    try await until("the link to be down") {
      try await !Command.require(namespace.prefix + ["ip", "-oneline", "link", "show", "uplink"]).contains("state UP")
    }
  }

  /// Makes it whole again.
  func mend(_ cut: Cut) async throws { try await set("up", cut) }

  private func set(_ state: String, _ cut: Cut) async throws {
    switch cut {
    case .down: try await namespace.run("ip", "link", "set", "uplink", state)
    case .unplugged: try await Command.require(["ip", "link", "set", device, state])
    }
  }

  /// For the end of a test.
  func cut() { relay.cut() }
}
