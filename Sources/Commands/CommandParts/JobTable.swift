package import ControlAPI
package import Jobs
import Messages

/// Jobs as a table: one page, with its own headings.
package struct JobTable {
  private var table: Table

  /// A job with the name by which people call it.
  package typealias Named = (name: String, job: JobMessage)

  /// Creates the table of one daemon's jobs, which are called by their numbers.
  package init(_ jobs: [JobMessage], now: Timestamp) {
    self.init(jobs.map { (String($0.job), $0) }, isNumber: true, now: now) { $0.heldBy?.advice }
  }

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - isNumber: true if the names are numbers.
  ///   - advice: what holds a job, in words; nil if nothing does.
  package init(_ jobs: [Named], isNumber: Bool, now: Timestamp, advice: (JobMessage) -> String?) {
    table = Table(columns: [
      .init(heading: "JOB", isNumber: isNumber), .init(heading: "STATE"),
      .init(heading: "WHAT", least: 10, isStiff: true), .init(heading: "AGE"), .init(heading: "NAME", least: 12),
      .init(heading: "REASON", least: 10),
    ])
    table.rows = jobs.map { name, job in
      [
        .init(text: DisplayText.escape(name)), .init(text: job.state.phase.word, style: job.state.style),
        .init(text: job.words), .init(text: Words.age(now - job.createdAt.timestamp)),
        .init(text: Self.name(job)), .init(text: Self.reason(job, now, advice)),
      ]
    }
  }

  /// The lines; none without jobs.
  package func lines(_ terminal: Terminal) -> [String] { table.rows.isEmpty ? [] : table.lines(terminal) }

  private static func name(_ job: JobMessage) -> String {
    let files = job.groupFiles.map { " (\($0) file\($0 == 1 ? "" : "s"))" } ?? ""
    return DisplayText.escape(job.name) + files
  }

  /// The reason why the job is in its state, if it needs to be shown.
  private static func reason(_ job: JobMessage, _ now: Timestamp, _ advice: (JobMessage) -> String?) -> String {
    if let words = advice(job) { return words }
    guard job.state != .registered, let error = job.error else { return "" }
    let words = DisplayText.escape(error.message.text)
    guard let next = job.nextAttemptAt, next.timestamp > now else { return words }
    return "next try in \(Words.age(next.timestamp - now)): \(words)"
  }
}
