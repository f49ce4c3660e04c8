import ChildProcesses
import Foundation

extension Daemon {
  /// An event of the stream with its id.
  typealias StreamedEvent = (id: Int, event: JSONValue)

  /// The events from the first on, the oldest first, as far as the one that is the last of `count` with that name.
  func events(through name: String, count: Int = 1, line: Int = #line) async throws -> [JSONValue] {
    try await until("\(count) events \(name)", line: line) {
      let events = try await events(after: 0).map(\.event)
      let places = events.indices.filter { events[$0].event.string == name }
      return places.count >= count ? Array(events[...places[count - 1]]) : nil
    }
  }

  /// The events so far after the one with that id.
  func events(after id: Int) async throws -> [StreamedEvent] {
    // The stream has no end. One that begins with now says the id of the last event so far.
    let now = try stream()
    defer { now.cut() }
    let last = try await until("the id of the last event") { Self.frames(now).compactMap(\.id).first }
    let stream = try stream("-H", "Last-Event-ID: \(id)")
    defer { stream.cut() }
    let frames = try await until("the stream up to event \(last)") {
      let frames = Self.frames(stream)
      return frames.contains { $0.id.map { $0 >= last } ?? false } ? frames : nil
    }
    return try frames.compactMap { frame in
      guard let id = frame.id, id <= last, let data = frame.data else { return nil }
      return (id, try JSONValue(parsing: data))
    }
  }

  private func stream(_ options: String...) throws -> ChildProcess {
    try ChildProcess(
      ["curl", "-q", "-sSN", "--noproxy", "*", "--unix-socket", setup.socket] + options
        + ["http://localhost/v1/events"])
  }

  /// What has come in whole, each with its id and its data.
  private static func frames(_ stream: ChildProcess) -> [(id: Int?, data: String?)] {
    stream.outputText.components(separatedBy: "\n\n").dropLast().map { frame in
      let lines = frame.split(separator: "\n")
      func field(_ name: String) -> String? {
        lines.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
      }
      return (field("id").flatMap { Int($0) }, field("data"))
    }
  }
}
