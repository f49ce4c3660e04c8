import Glibc
import Testing

@Suite struct SignalsTests {
  @Test func signalsAreTakenInTurnAndTheSequenceEnds() async throws {
    let probe = try Command.start(Command.probe, ["signals"])
    try await probe.prints("ready")
    kill(probe.pid, SIGHUP)
    try await probe.prints("signal 1")
    kill(probe.pid, SIGPIPE)
    kill(probe.pid, SIGINT)
    try await probe.prints("signal 2")
    kill(probe.pid, SIGTERM)
    let outcome = try await probe.outcome()
    #expect(outcome.status == 0)
    #expect(outcome.output == "ready\nsignal 1\nsignal 2\nsignal 15\nended\n")
  }
}
