import ChildProcesses
import Glibc
import Testing

@Suite(.slot) struct SignalsTests {
  @Test func deliversSignalsInTurnAndEnds() async throws {
    let probe = try ChildProcess([Products.systemdLinkProbe, "signals"])
    try await probe.prints("ready")
    probe.signal(SIGHUP)
    try await probe.prints("signal 1")
    probe.signal(SIGPIPE)
    probe.signal(SIGINT)
    try await probe.prints("signal 2")
    probe.signal(SIGTERM)
    let outcome = try await probe.result()
    #expect(outcome.status == 0)
    #expect(outcome.output == "ready\nsignal 1\nsignal 2\nsignal 15\nended\n")
  }
}
