extension Scenario {
  /// The scenario of a seed.
  package init(seed: UInt64) {
    self.init(
      seed: seed, configuration: ConfigurationPlan(storages: [], backends: [], spools: []),
      farSides: FarSides([], epoch: 1_795_000_000))
  }

  /// Scenarios that are simpler than this one, the simplest first. Each has less of one thing.
  package func shrunk() -> [Scenario] { [] }
}
