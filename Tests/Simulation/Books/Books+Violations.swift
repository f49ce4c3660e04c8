extension Books {
  /// What may never be, and is. Empty if the books balance.
  package func violations(_ facts: WorldFacts, _ farSides: FarSides) -> [String] { [] }

  /// What is not done yet, although all trouble is over and all questions are answered. Empty once all is.
  package func unfinished(_ facts: WorldFacts, _ farSides: FarSides, _ configuration: ConfigurationPlan) -> [String] {
    []
  }
}
