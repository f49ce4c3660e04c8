import Jobs
import Testing

@Suite struct JobPhaseTests {
  private static func states(_ phase: JobPhase) -> Set<JobState> {
    Set(JobState.allCases.filter { $0.phase == phase })
  }

  /// A job that needs a person is none that goes on by itself, and one that is over has ended.
  @Test func phaseFollowsFromState() {
    for state in JobState.allCases {
      switch state.phase {
      case .waiting, .working, .needsYou: #expect(!state.isTerminal)
      case .stopped, .done: #expect(state.isTerminal)
      }
    }
    #expect(Self.states(.needsYou) == [.awaitingConfirmation, .awaitingCredentials])
    #expect(Self.states(.stopped) == [.aborted, .cancelled])
  }
}
