package import ControlAPI
import Jobs
import Messages

/// Groups of jobs as a table.
package struct ReasonTable {
  private var table = Table(columns: [
    .init(heading: "GROUP", isNumber: true), .init(heading: "JOBS", isNumber: true), .init(heading: "STATE"),
    .init(heading: "KIND"), .init(heading: "REASON", least: 10),
  ])

  package init(_ groups: [ReasonGroup]) {
    table.rows = groups.map { group in
      [
        .init(text: group.group.map { String($0) } ?? ""), .init(text: String(group.count)),
        .init(text: group.state.words(at: group.step), style: group.state.style), .init(text: group.kind ?? ""),
        .init(text: DisplayText.escape(group.reason.text)),
      ]
    }
  }

  /// Returns the commands for a group, if one of them waits for a person.
  package static func hint(_ groups: [ReasonGroup]) -> String? {
    let asking = groups.first { $0.state == .awaitingConfirmation && $0.group != nil }
    if let number = asking?.group {
      return "To answer a group: waybill confirm --group \(number), or waybill cancel --group \(number)"
    }
    return groups.first { $0.state == .aborted && $0.group != nil }?.group.map {
      "To try a group again: waybill retry --group \($0)"
    }
  }

  package func lines(_ terminal: Terminal) -> [String] { table.rows.isEmpty ? ["No jobs."] : table.lines(terminal) }
}
