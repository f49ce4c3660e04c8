import Jobs

/// The states of jobs as a script for the pages. It is made of the states themselves, so that no page has a list of its own.
enum StateScript {
  /// `STATES`, all of them in their order, and `PHASES`, the states of each phase.
  static let bytes: [UInt8] = {
    func list(_ states: [JobState]) -> String {
      "[" + states.map { "\"\($0.rawValue)\"" }.joined(separator: ", ") + "]"
    }
    let phases = JobPhase.allCases.map { phase in
      "  \"\(phase.rawValue)\": \(list(JobState.allCases.filter { $0.phase == phase })),\n"
    }
    let text = """
      "use strict";
      const STATES = \(list(JobState.allCases));
      const PHASES = {
      \(phases.joined())};

      """
    return Array(text.utf8)
  }()
}
