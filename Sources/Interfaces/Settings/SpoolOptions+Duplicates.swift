import Jobs

extension SpoolOptions.Duplicates: Choice {}

extension Section {
  /// Reads what becomes of files with the bytes of an earlier one, and for how long such bytes are remembered.
  mutating func duplicates(isOfGroups: Bool, signsLinks: Bool) -> (SpoolOptions.Duplicates, within: Duration) {
    let choice = self.choice("duplicates", default: SpoolOptions.Duplicates.send)
    let within = duration("duplicates_within", default: "90d", in: "1h"..."100y")
    if choice == .send {
      if table["duplicates_within"] != nil, !hasProblem("duplicates") {
        problem("duplicates_within", "has no effect", "it needs duplicates = \"skip\", \"link\" or \"ask\"")
      }
    } else if isOfGroups {
      problem("duplicates", "does not go with group", "a group has many files: leave one of them out")
    } else if choice == .link, signsLinks {
      problem(
        "duplicates", "\"link\" does not go with a signed link",
        "the earlier link expires: use \"skip\" or \"ask\", or a link that lasts")
    }
    return (choice, within)
  }
}
