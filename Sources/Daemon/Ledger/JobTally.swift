public import Jobs

/// The numbers of jobs by step and state, and the bytes of their files.
///
/// It has fixed places and no dictionary, because it changes with every step of every job.
public struct JobTally: Sendable, Equatable {
  private struct Entry: Sendable, Equatable {
    var jobs = 0
    /// Wide, so that no number of files of any size is too much, and what was added can be subtracted.
    var bytes: Int128 = 0
  }

  private var entries = [Entry](repeating: Entry(), count: JobState.allCases.count * 2)

  /// Creates a tally of no jobs.
  public init() {}

  /// The number of jobs in a state, at both steps.
  public subscript(state: JobState) -> Int {
    Step.allCases.reduce(0) { $0 + entries[Self.place($1, state)].jobs }
  }

  /// The number of jobs at a step in a state.
  public subscript(step: Step, state: JobState) -> Int { entries[Self.place(step, state)].jobs }

  /// Returns the bytes of the files whose jobs are at a step in a state.
  public func bytes(_ step: Step, _ state: JobState) -> Int64 {
    Int64(clamping: entries[Self.place(step, state)].bytes)
  }

  /// The number of jobs that have not ended.
  public var unfinished: Int {
    Step.allCases.reduce(0) { sum, step in
      JobState.allCases.reduce(sum) { $1.isTerminal ? $0 : $0 + entries[Self.place(step, $1)].jobs }
    }
  }

  mutating func add(_ step: Step, _ state: JobState, jobs: Int, bytes: Int128) {
    let place = Self.place(step, state)
    entries[place].jobs += jobs
    entries[place].bytes += bytes
  }

  private static let states = JobState.allCases

  private static func place(_ step: Step, _ state: JobState) -> Int {
    (step == .upload ? 0 : states.count) + (states.firstIndex(of: state) ?? 0)
  }
}
