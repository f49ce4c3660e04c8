import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A network that goes and comes back, and servers that do.
@Suite(.slot, .needs(.networkNamespace))
struct NetworkTests {
  /// A daemon that is not started yet, in a network namespace of its own whose one link leads to the sandbox in another one.
  private func withLink(
    _ adjust: (inout DaemonSetup) -> Void = { _ in }, _ body: (Rig, NetworkLink) async throws -> Void
  ) async throws {
    try await withRig(starting: false) { outer in
      let near = try await NetworkNamespace(in: outer.folder, log: "near")
      let far = try await NetworkNamespace(in: outer.folder, log: "far")
      let folder = try outer.folder.madeFolder("beyond")
      let sandbox = try await Sandbox(in: folder, prefix: far.prefix)
      let link = try await NetworkLink(from: near, to: far, port: sandbox.port, in: outer.folder)
      var setup = outer.setup
      setup.storage.endpoint = "http://\(NetworkLink.address):\(sandbox.port)"
      setup.backend = setup.storage.endpoint + "/register"
      adjust(&setup)
      try setup.write()
      let daemon = Daemon(setup, prefix: near.prefix)
      try await body(Rig(folder: outer.folder, sandbox: sandbox, daemon: daemon, journal: nil), link)
    }
  }

  @Test(arguments: NetworkLink.Cut.allCases)
  func restoredLinkReleasesAllJobs(cut: NetworkLink.Cut) async throws {
    let count = 60
    try await withLink({
      $0.concurrency = 4
      $0.constants["connect_timeout"] = "\"1s\""
    }) { rig, link in
      try await link.cut(cut)
      try await rig.daemon.start()
      for number in 1...count { try rig.drop("\(number).pdf") }
      try await until("all to be admitted, and to wait for the network") {
        let counts = try await rig.daemon.status().counts
        let waiting = counts["awaiting-network"].int ?? 0
        return waiting > 0 && waiting + (counts.queued.int ?? 0) == count
      }
      #expect(try await rig.daemon.count("awaiting-network") <= 4)
      let job = try #require(try await rig.daemon.jobs().first { $0.state == "awaiting-network" })
      #expect(job.error.kind == "network" && job.question.isNull && job.step == "upload")
      // The probes' pauses grow with each that fails, until the next one is further away than this test waits.
      try await until("the pauses to have grown") {
        // While it probes already, it is not to be asked to.
        _ = try await rig.daemon.waybill("confirm", String(job.job.int ?? 0))
        let gate = try #require(try await rig.daemon.status().gates.array.first)
        #expect(gate.destination == "storage.main" && gate.reason == "network")
        return try gate.until.string.map { try wait(until: $0) > .seconds(4 * 60) } ?? false
      }
      #expect(try await rig.sandbox.count("upload") == 0)

      try await link.mend(cut)
      try await until("all to be registered, long before the next probe") {
        try await rig.daemon.count("registered") == count
      }
      #expect(try await rig.daemon.status().gates.array.isEmpty)
      #expect(try await rig.sandbox.count("upload") == count && rig.sandbox.registrations().count == count)
    }
  }

  @Test func worksWithoutNetworkWatch() async throws {
    try await withRig(prefix: [try await Products.python.value, Products.support("refusing.py"), "netlink"]) { rig in
      try await rig.drop("a.pdf", until: "registered")
      let words = "cannot watch changes of the network: Address family not supported by protocol (EAFNOSUPPORT)"
      #expect(try rig.daemon.told(words) == 1)
    }
  }

  private func wait(until time: String) throws -> Duration {
    let date = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(time)
    return .seconds(date.timeIntervalSinceNow)
  }
}
