import CommandParts
import ControlAPI
import Jobs
import Messages

extension Table {
  init(_ jobs: [JobMessage], now: Timestamp) {
    let isOfFleet = jobs.contains { $0.host != nil }
    var columns: [Table.Column] = [
      .init(heading: "JOB", isNumber: true), .init(heading: "STATE", least: 16),
      .init(heading: "AGE"), .init(heading: "NAME", least: 12), .init(heading: "REASON", least: 10),
    ]
    if isOfFleet { columns.insert(.init(heading: "HOST"), at: 0) }
    self.init(columns: columns)
    rows = jobs.map { job in
      let cells: [Table.Cell] = [
        .init(text: String(job.job)), .init(text: job.words, style: job.state.style),
        .init(text: Words.age(now - job.createdAt)), .init(text: job.nameWithFiles),
        .init(text: job.reason(now)),
      ]
      return isOfFleet ? [.init(text: DisplayText.escape(job.host ?? ""))] + cells : cells
    }
  }

  init(_ groups: [ReasonGroup]) {
    self.init(columns: [
      .init(heading: "GROUP", isNumber: true), .init(heading: "JOBS", isNumber: true), .init(heading: "STATE"),
      .init(heading: "KIND"), .init(heading: "REASON", least: 10),
    ])
    rows = groups.map { group in
      [
        .init(text: group.group.map { String($0) } ?? ""), .init(text: String(group.count)),
        .init(text: group.state.words(at: group.step), style: group.state.style), .init(text: group.kind ?? ""),
        .init(text: DisplayText.escape(group.reason.text)),
      ]
    }
  }
}

extension JobMessage {
  fileprivate var nameWithFiles: String {
    let files = groupFiles.map { " (\($0) file\($0 == 1 ? "" : "s"))" } ?? ""
    return DisplayText.escape(name) + files
  }

  fileprivate func reason(_ now: Timestamp) -> String {
    if let hold = heldBy { return "\(hold.said): \(hold.remedy)" }
    guard state != .registered, let error else { return "" }
    let words = DisplayText.escape(error.message.text)
    guard let next = nextAttemptAt, next > now else { return words }
    return "next try in \(Words.age(next - now)): \(words)"
  }
}

extension [ReasonGroup] {
  var hint: String? {
    func number(_ state: JobState) -> Int64? { first { $0.state == state && $0.group != nil }?.group }
    if let number = number(.awaitingConfirmation) {
      return "To answer a group: waybill confirm --group \(number), or waybill cancel --group \(number)"
    }
    return number(.aborted).map { "To try a group again: waybill retry --group \($0)" }
  }
}
