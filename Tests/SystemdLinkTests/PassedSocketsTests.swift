import ChildProcesses
import Foundation
import Glibc
import SystemdLink
import Testing

@Suite(.slot) struct PassedSocketsTests {
  @Test(.needs(.socketActivation)) func receivesSocketWithNameAndPath() async throws {
    let directory = try TemporaryFolder()
    let path = directory.file("s")
    let activate = try ChildProcess([
      "systemd-socket-activate", "-l", path, "--fdname=control", Products.systemdLinkProbe, "sockets",
    ])
    try await until("\(path) to listen") {
      guard let client = Sockets.connect(path) else { return false }
      close(client)  // The program is started at the first connection.
      return true
    }
    let outcome = try await activate.result()
    #expect(outcome.output == "control \(path) 3\nagain 0, LISTEN_FDS gone\n")
  }

  @Test(.needs(.socketActivation)) func refusesSocketOfOtherKind() async throws {
    let directory = try TemporaryFolder()
    let path = directory.file("s")
    let activate = try ChildProcess([
      "systemd-socket-activate", "--seqpacket", "-l", path, "--fdname=odd", Products.systemdLinkProbe, "sockets",
    ])
    try await until("the probe to start and end") {
      if let client = Sockets.connect(path, kind: SOCK_SEQPACKET) { close(client) }
      return try activate.ending() != nil
    }
    let outcome = try await activate.result()
    #expect(outcome.output.contains("error: sd_is_socket_unix odd (descriptor 3)"))
  }
}
