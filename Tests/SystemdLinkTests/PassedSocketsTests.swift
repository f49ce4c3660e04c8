import Foundation
import Glibc
import SystemdLink
import Testing

/// Sockets as systemd passes them.
@Suite struct PassedSocketsTests {
  @Test func aListeningSocketComesWithItsNameAndPath() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("s")
    let activate = try Command.start(
      "/usr/bin/systemd-socket-activate", ["-l", path, "--fdname=control", try Command.probe, "sockets"])
    try await wake(path)
    let outcome = try await activate.outcome()
    #expect(outcome.output == "control \(path) 3\nagain 0, LISTEN_FDS gone\n")
  }

  @Test func aSocketOfAnotherKindIsRefused() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("s")
    let activate = try Command.start(
      "/usr/bin/systemd-socket-activate", ["--seqpacket", "-l", path, "--fdname=odd", try Command.probe, "sockets"])
    try await eventually("the probe starts") {
      try wakeSequenced(path) && !activate.isRunning
    }
    let outcome = try await activate.outcome()
    #expect(outcome.output.contains("error: sd_is_socket_unix odd (descriptor 3)"))
  }

  @Test func socketsForAnotherProcessAreNotOurs() async throws {
    let outcome = try await Command.run(
      Command.probe, ["sockets"], environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "control"])
    #expect(outcome.output == "again 0, LISTEN_FDS gone\n")
  }

  /// The program is started at the first connection.
  private func wake(_ path: String) async throws {
    try await eventually("\(path) listens") {
      guard let client = Sockets.connect(path) else { return false }
      close(client)
      return true
    }
  }

  private func wakeSequenced(_ path: String) throws -> Bool {
    guard let client = Sockets.connect(path, kind: SOCK_SEQPACKET) else { return true }
    close(client)
    return true
  }
}
