public import ControlAPI
package import Jobs
import Messages
import PostgreSQL

/// A host as the fleet's tables have it.
public struct FleetHost: Hashable, Sendable, Encodable {
  package var ledger: String
  package var name: String
  package var version: String
  /// The number of events that were copied.
  package var applied: Int64
  /// The number of events that are missing in the copy, as far as it knows.
  public var lag: Int64
  package var counts: [String: Int]
  /// The reason why the agent cannot read the state of the host, or its changes.
  public var trouble: String?
  /// The problems that the daemon reported.
  public var problems: [ProblemMessage]
  /// The commands that it accepts from elsewhere.
  package var allow: [String]
  /// The age of the oldest unfinished job in seconds; nil if there is none.
  package var oldestAge: Double?
  /// The time of its last heartbeat, by the database's clock.
  public var seenAt: String
  /// The number of seconds since then.
  public var silence: Double
  /// True if there was no heartbeat for three intervals.
  public var isSilent: Bool

  enum CodingKeys: String, CodingKey {
    case ledger, name, version, applied, lag, counts, trouble, problems, allow, silence
    case oldestAge = "oldest_age"
    case seenAt = "seen_at"
    case isSilent = "silent"
  }

  /// The problems that keep the daemon from working. A spool's silence is none of them: the daemon itself is well.
  var faults: [ProblemMessage] { problems.filter { !$0.isSilence } }
  /// The spools into which nothing comes.
  var silences: [ProblemMessage] { problems.filter(\.isSilence) }
  /// True if the daemon or its agent does not work as it should.
  var isTroubled: Bool { trouble != nil || !faults.isEmpty }

  /// The number of jobs in a state.
  package func count(_ state: JobState) -> Int { counts[state.rawValue] ?? 0 }

  /// The number of jobs in a phase.
  package func count(_ phase: JobPhase) -> Int {
    JobState.allCases.filter { $0.phase == phase }.map { count($0) }.saturatingSum
  }
}

extension FleetHost {
  /// The most bytes of a value in JSON that is read.
  static let longestJSON = 1 << 20
  /// The most problems of a host that are shown.
  private static let mostProblems = 100
  /// The most characters of what one of them says.
  private static let longestProblem = 10_000
  /// The largest number that is shown, so small that the numbers of many hosts can be added.
  private static let mostOfAll = 1_000_000_000_000_000

  /// Reads a row of ``FleetView/hosts(_:)``.
  ///
  /// A host writes its own row. A value that cannot be read is left out, and reported as trouble of that host.
  init(_ row: PostgreSQLRow) {
    var damaged: [String] = []
    func seconds(_ column: Int, _ name: String) -> Double? {
      guard let text = row[column] else { return nil }
      // years from 1653 to 2286: differences between two of them can be computed
      if let value = Double(text), value.isFinite, abs(value) < 1e10 { return value }
      damaged.append(name)
      return nil
    }
    func number(_ column: Int, _ name: String) -> Int64 {
      if let value = row.number(column), (0...Int64(Self.mostOfAll)).contains(value) { return value }
      damaged.append(name)
      return 0
    }
    (ledger, name, version) = (row.text(0), row.text(1), row.text(2))
    let (last, applied) = (number(3, "last"), number(4, "applied"))
    self.applied = applied
    lag = max(0, last -| applied)
    counts = [:]
    // Ignored: an error is damage like a value that is missing or out of bounds.
    if let read = try? ControlJSON.decode([String: Int].self, from: row.text(5).utf8),
      read.values.allSatisfy((0...Self.mostOfAll).contains)
    {
      counts = read
    } else {
      damaged.append("counts")
    }
    problems = []
    if let read = try? ControlJSON.decode([ProblemMessage].self, from: row.text(7).utf8) {
      problems = read.prefix(Self.mostProblems).map {
        var problem = ProblemMessage(
          what: String($0.what.prefix(Self.longestProblem)), since: $0.since,
          remedy: String($0.remedy.prefix(Self.longestProblem)))
        // Its code says that it is a spool's silence.
        if $0.isSilence, let said = $0.whatSaid, said.json.utf8.count <= Self.longestProblem { problem.whatSaid = said }
        return problem
      }
    } else {
      damaged.append("problems")
    }
    allow = row.text(8).split(separator: ",").map(String.init)
    let (now, seen, oldest) = (seconds(12, "now") ?? 0, seconds(10, "seen_at"), seconds(11, "oldest_at"))
    oldestAge = oldest.map { max(0, (now - $0).rounded(.down)) }
    seenAt = seen == nil ? "" : row.text(9)
    silence = seen.map { max(0, (now - $0).rounded(.down)) } ?? 0
    isSilent = row.flag(13)
    if let seen, seen > now + 86_400 { damaged.append("seen_at") }
    if let heartbeat = seconds(14, "heartbeat"), !(0...86_400).contains(heartbeat) || heartbeat == 0 {
      damaged.append("heartbeat")
    }
    if let ledgers = row[15] {
      trouble =
        "its role of the database keeps \(ledgers) ledgers, of which \(FleetView.mostOfRole) are shown: look who has that role"
      return
    }
    trouble =
      damaged.isEmpty
      ? row[6]
      : "its row in the database is damaged (\(damaged.joined(separator: ", "))), and only in part shown: look at the "
        + "host, its agent, and who has its role of the database"
  }
}
