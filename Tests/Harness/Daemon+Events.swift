import ChildProcesses
import Foundation
import HTTPTransfer

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
    // The stream has no end, and its position may be beyond its last event: an attempt has a sequence too.
    let newest = try await ledger("/v1/log?limit=1").events.array.first
    guard let last = newest?.id.int, last > id else { return [] }
    let frames = try await Self.frames(try await KeptConnections.events(socket: socket, after: id)) { frames in
      frames.contains { $0.id.map { $0 >= last } ?? false }
    }
    return try frames.compactMap { frame in
      guard let id = frame.id, id <= last, let data = frame.data else { return nil }
      return (id, try JSONValue(parsing: data))
    }
  }

  private typealias Frame = (id: Int?, data: String?)

  /// What comes in whole until it is enough.
  private static func frames(_ stream: HTTPStream, until isEnough: ([Frame]) -> Bool) async throws -> [Frame] {
    var text: [UInt8] = []
    do {
      for try await chunk in stream.body {
        text += chunk
        let frames = frames(String(decoding: text, as: UTF8.self))
        if isEnough(frames) { return frames }
      }
    } catch {
      throw NoAnswer(description: error.words)
    }
    throw NoAnswer(description: "the stream ended")
  }

  /// What has come in whole, each with its id and its data.
  private static func frames(_ text: String) -> [Frame] {
    text.components(separatedBy: "\n\n").dropLast().map { frame in
      let lines = frame.split(separator: "\n")
      func field(_ name: String) -> String? {
        lines.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
      }
      return (field("id").flatMap { Int($0) }, field("data"))
    }
  }
}
