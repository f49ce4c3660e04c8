import Jobs

extension SpoolOptions.Duplicates: Choice {}

extension Section {
  /// Reads what becomes of files with the bytes of an earlier one.
  mutating func duplicates(isOfGroups: Bool) -> SpoolOptions.Duplicates {
    let choice = self.choice("duplicates", default: SpoolOptions.Duplicates.send)
    if choice == .send { return choice }
    if isOfGroups {
      problem("duplicates", "does not go with marker", "a group has many files: leave one of them out")
    }
    return choice
  }
}
