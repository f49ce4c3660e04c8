import ChildProcesses

extension Daemon {
  func events() async throws -> [JSONValue] {
    var (events, next): ([JSONValue], String?) = ([], "0")
    while let after = next {
      let page = try await ledger("/v1/log?order=oldest&limit=1000&after=\(after)")
      events += page.events.array
      next = page.next.string
    }
    return events
  }

  func events(through name: String, line: Int = #line) async throws -> [JSONValue] {
    try await until("an event \(name)", line: line) {
      let events = try await events()
      return events.firstIndex { $0.event.string == name }.map { Array(events[...$0]) }
    }
  }
}
