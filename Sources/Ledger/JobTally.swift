public import Jobs

/// How many jobs stand where, and how many bytes their files have.
///
/// Fixed places and no dictionary: it changes with every step of every job.
public struct JobTally: Sendable, Equatable {
  private struct Entry: Sendable, Equatable {
    var jobs = 0
    var bytes: Int64 = 0
  }

  private var entries = [Entry](repeating: Entry(), count: State.allCases.count * 2)

  /// No jobs.
  public init() {}

  /// The jobs in a state, at whichever step.
  public subscript(state: State) -> Int {
    Step.allCases.reduce(0) { $0 + entries[Self.place($1, state)].jobs }
  }

  /// The jobs by state; a state without any is not there.
  public var byState: [State: Int] {
    Dictionary(uniqueKeysWithValues: State.allCases.map { ($0, self[$0]) }).filter { $0.value != 0 }
  }

  /// The jobs at a step in a state.
  public subscript(step: Step, state: State) -> Int { entries[Self.place(step, state)].jobs }

  /// The bytes of the files whose jobs are at a step in a state.
  public func bytes(_ step: Step, _ state: State) -> Int64 { entries[Self.place(step, state)].bytes }

  /// The jobs whose journey has not ended.
  public var unfinished: Int {
    Step.allCases.reduce(0) { sum, step in
      State.allCases.reduce(sum) { $1.isTerminal ? $0 : $0 + entries[Self.place(step, $1)].jobs }
    }
  }

  mutating func add(_ step: Step, _ state: State, jobs: Int, bytes: Int64) {
    let place = Self.place(step, state)
    entries[place].jobs += jobs
    entries[place].bytes += bytes
  }

  private static func place(_ step: Step, _ state: State) -> Int {
    let first =
      switch step {
      case .upload: 0
      case .register: State.allCases.count
      }
    let second =
      switch state {
      case .queued: 0
      case .active: 1
      case .deferred: 2
      case .awaitingConfirmation: 3
      case .awaitingCredentials: 4
      case .awaitingNetwork: 5
      case .registered: 6
      case .aborted: 7
      case .cancelled: 8
      case .discarded: 9
      }
    return first + second
  }
}
