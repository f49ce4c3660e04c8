import Jobs
import Testing

@Suite struct JobPhaseTests {
  /// A job that needs a person is none that goes on by itself, and one that is over has ended.
  @Test func phaseFollowsFromState() {
    for state in JobState.allCases {
      switch state.phase {
      case .waiting, .working, .needsYou: #expect(!state.isTerminal)
      case .stopped, .done: #expect(state.isTerminal)
      }
    }
    #expect(JobPhase.needsYou.states == [.awaitingConfirmation, .awaitingCredentials])
    #expect(JobPhase.stopped.states == [.aborted, .cancelled])
  }
}
