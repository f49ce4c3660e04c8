package import ControlAPI
package import Jobs
import Messages

extension JobState {
  /// The state for people: its name with spaces.
  package var word: String { rawValue.replacing("-", with: " ") }

  /// The state as it is counted: the numbers do not tell a released job from a discarded one.
  fileprivate var counted: String { self == .discarded ? "released or discarded" : word }

  /// Returns the state of a job at a step, which is not named where it has ended.
  package func words(at step: Step) -> String { isTerminal ? word : "\(word): \(step.noun.lowercased())" }
}

extension [JobState: Int] {
  /// The numbers of jobs in words: those of the phases, and behind them the exact states that a phase does not tell. `none` without
  /// jobs.
  package var inWords: String {
    let phases = JobPhase.allCases.compactMap { phase -> String? in
      let parts = JobState.allCases.filter { $0.phase == phase && self[$0, default: 0] > 0 }
      let sum = parts.map { self[$0, default: 0] }.saturatingSum
      guard sum > 0 else { return nil }
      let isPlain = parts.count == 1 && parts.first.map(Self.plain.contains) == true
      let exact = parts.map { "\(Words.grouped(self[$0, default: 0])) \($0.counted)" }.joined(separator: ", ")
      let word = phase == .needsYou && sum > 1 ? "need you" : phase.word
      return "\(Words.grouped(sum)) \(word)" + (isPlain ? "" : " (\(exact))")
    }
    return phases.isEmpty ? "none" : phases.joined(separator: ", ")
  }

  /// The states that a phase means if nothing else is said.
  private static var plain: Set<JobState> { [.queued, .active, .awaitingConfirmation, .registered] }
}

extension JobMessage {
  /// The state in one word: `released` for a discarded job whose file was given back.
  package var stateWord: String { released == nil ? state.word : JobCommand.Name.release.participle }

  package var words: String { released == nil ? state.words(at: step) : stateWord }

  package var sentence: String {
    guard state.phase != .done, attempt > 0 else { return words }
    return "\(state.word): \(step.noun.lowercased()), attempt \(attempt)"
  }

  /// The name by which a person means the job, for a terminal.
  package var shownReference: String { DisplayText.escape("\(reference)") }
}
