import Jobs
import Ledger

extension JobTally {
  /// The number of jobs by state; a state without jobs is absent.
  var byState: [JobState: Int] {
    Dictionary(uniqueKeysWithValues: JobState.allCases.map { ($0, self[$0]) }).filter { $0.value != 0 }
  }
}
