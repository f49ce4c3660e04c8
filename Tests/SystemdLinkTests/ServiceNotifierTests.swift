import ChildProcesses
import Foundation
import Glibc
import Linux
import SystemdLink
import Testing

/// What systemd would hear, received on a socket of the test's own.
@Suite(.slot) struct ServiceNotifierTests {
  @Test func sendsMessagesAndChangedStatusOnce() async throws {
    let directory = try TemporaryFolder()
    let socket = try Sockets.datagram(at: directory.file("notify"))
    defer { close(socket) }
    let outcome = try await Command.run(
      [Products.systemdLinkProbe, "notify"],
      environment: ["NOTIFY_SOCKET": directory.file("notify"), "WATCHDOG_USEC": "20000000"])
    #expect(outcome.output == "watchdog 20.0 seconds\n")
    var heard = Sockets.received(socket)
    let reloading = try #require(heard.firstIndex { $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") })
    let microseconds = try #require(Int64(heard.remove(at: reloading).split(separator: "=").last ?? ""))
    #expect(microseconds > 0 && microseconds <= Clocks.monotonic())
    #expect(
      heard == [
        "EXTEND_TIMEOUT_USEC=1500000", "READY=1\nSTATUS=up", "STATUS=two\\nlines", "READY=1", "WATCHDOG=1",
        "STOPPING=1\nSTATUS=down",
      ])
  }

  @Test func reportsMissingSocketOnce() async throws {
    let outcome = try await Command.run(
      [Products.systemdLinkProbe, "notify"], environment: ["NOTIFY_SOCKET": "/nonexistent/notify"])
    #expect(outcome.status == 0)
    #expect(outcome.output.split(separator: "\n").filter { $0.hasPrefix("failed: sd_notify") }.count == 1)
  }
}
