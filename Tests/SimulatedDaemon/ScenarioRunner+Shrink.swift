package import Simulation

extension ScenarioRunner {
  /// Looks for the simplest scenario that fails as well, by leaving out one thing after the other.
  package func shrink(_ scenario: Scenario) -> (scenario: Scenario, outcome: Outcome) {
    var best = (scenario: scenario, outcome: run(scenario))
    var isSimpler = true
    while isSimpler {
      isSimpler = false
      for candidate in best.scenario.shrunk() {
        let outcome = run(candidate)
        guard !outcome.violations.isEmpty else { continue }
        best = (candidate, outcome)
        isSimpler = true
        break
      }
    }
    return best
  }
}
