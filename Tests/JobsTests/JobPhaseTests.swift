import Jobs
import Testing

@Suite struct JobPhaseTests {
  /// Each state is in one phase, and each phase has a state.
  @Test func everyStateHasOne() {
    for state in JobState.allCases {
      #expect(JobPhase.allCases.filter { $0.states.contains(state) } == [state.phase])
    }
    for phase in JobPhase.allCases { #expect(!phase.states.isEmpty) }
  }

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

  @Test func wordsAreForPeople() {
    #expect(JobPhase.allCases.map(\.word) == ["waiting", "working", "needs you", "stopped", "done"])
  }
}
