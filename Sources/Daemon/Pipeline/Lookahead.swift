import Jobs

/// How many jobs are begun ahead at each destination: beside as many as may have a request in flight, so that another request
/// goes out where one has ended, instead of after the commit of what it came to.
///
/// As many as were in commit at a time, lately, on average; none where requests take so long that commits hardly count. A value
/// without clock.
struct Lookahead: Sendable {
  /// Over how long the average is taken.
  static let window: Duration = .milliseconds(250)
  /// How long it holds with nothing committed since.
  static let memory: Duration = .seconds(1)

  private var start: Timestamp?
  private var last = Timestamp(microseconds: 0)
  private var inCommit: [String: Duration] = [:]
  private var averages: [(destination: String, jobs: Int)] = []
  /// Another number for each average that was taken.
  private(set) var version = 0

  /// Takes note of a result of an attempt at a destination, whose commit began and ended then, on the clock that does not jump.
  mutating func note(at destination: String, from begin: Timestamp, to end: Timestamp) {
    last = end
    inCommit[destination, default: .zero] += end - begin
    guard let start, end - start < Self.memory else {
      (self.start, inCommit, averages) = (end, [:], [])
      version += 1
      return
    }
    guard end - start >= Self.window else { return }
    averages = inCommit.map { ($0, Int(($1 / (end - start)).rounded())) }.filter { $0.jobs > 0 }.sorted { $0 < $1 }
    (self.start, inCommit) = (end, [:])
    version += 1
  }

  /// Whether nothing was committed for so long that what was before says nothing.
  func isForgotten(at now: Timestamp) -> Bool { now - last >= Self.memory }

  /// How many may be begun ahead now: in all as many as requests may be in flight, at most, and none beside fewer than four.
  func jobs(of concurrency: Int, at now: Timestamp) -> [String: Int] {
    guard !averages.isEmpty, !isForgotten(at: now), concurrency >= 4 else { return [:] }
    var left = concurrency
    var ahead: [String: Int] = [:]
    for (destination, jobs) in averages {
      let share = min(jobs, left)
      if share > 0 { ahead[destination] = share }
      left -= share
    }
    return ahead
  }
}
