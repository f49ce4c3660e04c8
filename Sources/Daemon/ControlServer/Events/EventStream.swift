import ControlAPI
import HTTPTypes
import Messages
import NIOCore
import NIOHTTPTypes

/// Writes one reader's events as Server-Sent Events (WHATWG HTML, section 9.2) until the reader goes, is too slow, or the
/// server stops.
///
/// It writes to the channel directly and waits until the kernel has accepted the bytes. So a reader costs the memory of one
/// event, besides what is read ahead.
struct EventStream {
  /// The head of the answer. The connection serves nothing after it.
  static let headers: HTTPFields = [
    .contentType: "text/event-stream", .cacheControl: "no-store", .connection: "close",
  ]

  /// The time that a reader has, when the server stops, to read the remaining events, and again to read the end of the answer.
  private static let lastPatience = TimeAmount.seconds(1)

  /// A comment, which readers ignore (WHATWG HTML, section 9.2.7). libcurl, which counts a reader's speed over five seconds, takes a
  /// stream for stalled whose comments have fewer bytes than that.
  private static let comment = ": the daemon is here\n\n"

  let channel: any Channel
  /// The time between two comments, by which both sides notice that the other one has gone.
  let heartbeat: Duration
  /// The longest time for which the reader's socket may accept nothing (``ControlServer/Limits/peerPatience``).
  let patience: TimeAmount
  let texts: TextForm

  private enum End {
    /// The reader went, or the server stops.
    case asked
    case exhausted
    case failed(ProblemDocument)
  }

  func run(_ subscription: EventSubscription, in place: OpenStreams.Place) async {
    channel.closeFuture.whenComplete { _ in place.finish() }
    do {
      channel.write(HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: Self.headers)), promise: nil)
      try await send(opening(subscription))
      let end = try await write(subscription, until: place)
      switch end {
      case .exhausted where !place.isStopping: try await send(": dropped: reader too slow\n\n")
      case .failed(let problem): try await send(text(problem))
      case .asked, .exhausted: break
      }
      try await channel.send(.end(nil), within: Self.lastPatience)
    } catch {
      // The reader has gone, or was cut off because it read nothing: there is nobody to report to.
    }
    channel.close(promise: nil)
  }

  private func write(_ subscription: EventSubscription, until place: OpenStreams.Place) async throws -> End {
    try await withThrowingTaskGroup(of: End.self) { tasks in
      tasks.addTask {
        var events = subscription.events.makeAsyncIterator()
        while true {
          let event: EventMessage?
          do {
            event = try await events.next()
          } catch {
            return .failed(
              error as? ProblemDocument ?? ProblemDocument(.internalError, saying: .eventsUnreadable(why: "\(error)")))
          }
          guard let event else { return .exhausted }
          try await send("id: \(subscription.number(event))\ndata: \(json(event))\n\n")
        }
      }
      tasks.addTask {
        while true {
          try await Task.sleep(for: heartbeat)
          try await send(Self.comment)
        }
      }
      tasks.addTask {
        for await _ in place.end {}
        return .asked
      }
      let end = try await tasks.next() ?? .asked
      tasks.cancelAll()
      guard case .asked = end else { return end }
      // The events that the subscription already has are still written. All of them together have that time: otherwise a reader
      // that reads one more event and then nothing would delay the stop.
      let cut = channel.eventLoop.scheduleTask(in: Self.lastPatience) { [channel] in channel.close(promise: nil) }
      defer { cut.cancel() }
      while await tasks.nextResult() != nil {}
      return end
    }
  }

  private func send(_ text: String) async throws {
    try await channel.send(.body(ByteBuffer(string: text)), within: patience)
  }

  /// The first piece. It is never empty, so that the reader sees the head of the answer at once.
  private func opening(_ subscription: EventSubscription) -> String {
    let identity = subscription.identity.map { "event: ledger\ndata: \(json($0))\n\n" }
    let position = subscription.position.map { "id: \($0)\n\n" } ?? ""
    return Self.comment + (identity ?? "") + (subscription.isReset ? "event: reset\ndata: {}\n\n" : "") + position
  }

  private func text(_ problem: ProblemDocument) -> String { "event: error\ndata: \(json(problem))\n\n" }

  /// JSON of ours has no line ends, so one line of data holds it.
  private func json(_ message: some JSONMessage) -> String {
    String(decoding: message.json(texts: texts), as: UTF8.self)
  }
}
