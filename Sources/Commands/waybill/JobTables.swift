import CommandParts
import ControlAPI
import Jobs
import Messages

/// Jobs as a table: one page, with its own headings.
struct JobTable {
  private var table: Table

  /// Creates the table of jobs, with their hosts if they are of a fleet.
  init(_ jobs: [JobMessage], now: Timestamp) {
    let isOfFleet = jobs.contains { $0.host != nil }
    var columns: [Table.Column] = [
      .init(heading: "JOB", isNumber: true), .init(heading: "STATE", least: 16),
      .init(heading: "AGE"), .init(heading: "NAME", least: 12), .init(heading: "REASON", least: 10),
    ]
    if isOfFleet { columns.insert(.init(heading: "HOST"), at: 0) }
    table = Table(columns: columns)
    table.rows = jobs.map { job in
      let cells: [Table.Cell] = [
        .init(text: String(job.job)), .init(text: job.words, style: job.state.style),
        .init(text: Words.age(now - job.createdAt)), .init(text: Self.name(job)),
        .init(text: Self.reason(job, now)),
      ]
      return isOfFleet ? [.init(text: DisplayText.escape(job.host ?? ""))] + cells : cells
    }
  }

  /// The lines; none without jobs.
  func lines(_ terminal: Terminal) -> [String] { table.rows.isEmpty ? [] : table.lines(terminal) }

  private static func name(_ job: JobMessage) -> String {
    let files = job.groupFiles.map { " (\($0) file\($0 == 1 ? "" : "s"))" } ?? ""
    return DisplayText.escape(job.name) + files
  }

  /// The reason why the job is in its state, if it needs to be shown.
  private static func reason(_ job: JobMessage, _ now: Timestamp) -> String {
    if let hold = job.heldBy { return "\(hold.said): \(hold.remedy)" }
    guard job.state != .registered, let error = job.error else { return "" }
    let words = DisplayText.escape(error.message.text)
    guard let next = job.nextAttemptAt, next > now else { return words }
    return "next try in \(Words.age(next - now)): \(words)"
  }
}

/// Groups of jobs as a table.
struct ReasonTable {
  private var table = Table(columns: [
    .init(heading: "GROUP", isNumber: true), .init(heading: "JOBS", isNumber: true), .init(heading: "STATE"),
    .init(heading: "KIND"), .init(heading: "REASON", least: 10),
  ])

  init(_ groups: [ReasonGroup]) {
    table.rows = groups.map { group in
      [
        .init(text: group.group.map { String($0) } ?? ""), .init(text: String(group.count)),
        .init(text: group.state.words(at: group.step), style: group.state.style), .init(text: group.kind ?? ""),
        .init(text: DisplayText.escape(group.reason.text)),
      ]
    }
  }

  /// Returns the commands for a group, if one of them waits for a person.
  static func hint(_ groups: [ReasonGroup]) -> String? {
    let asking = groups.first { $0.state == .awaitingConfirmation && $0.group != nil }
    if let number = asking?.group {
      return "To answer a group: waybill confirm --group \(number), or waybill cancel --group \(number)"
    }
    return groups.first { $0.state == .aborted && $0.group != nil }?.group.map {
      "To try a group again: waybill retry --group \($0)"
    }
  }

  func lines(_ terminal: Terminal) -> [String] { table.rows.isEmpty ? ["No jobs."] : table.lines(terminal) }
}
