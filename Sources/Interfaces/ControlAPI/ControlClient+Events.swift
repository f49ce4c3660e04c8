import HTTPTransfer
public import Jobs
import Messages

extension ControlClient {
  /// The time for which the stream may be silent before the daemon counts as gone: well over two of its heartbeats.
  private static let longestSilence = Duration.seconds(40)

  /// Returns a page of the log of events.
  public func log(_ query: LogQuery) async throws(ControlError) -> LogPage {
    try await call("/v1/log", query.text)
  }

  /// Opens the daemon's events from a start on; the filter's times are ignored. Returns once the daemon has begun to answer.
  public func events(
    from start: EventStart = .now, _ filter: EventFilter = EventFilter()
  ) async throws(ControlError) -> EventFeed {
    let query = EventQuery(start: start, filter: filter).text
    var request = HTTPRequest(
      RequestShape(method: "GET", connectTimeout: patience, stallTimeout: Self.longestSilence, unixSocket: socket),
      url: "http://localhost/v1/events?texts=coded" + (query.isEmpty ? "" : "&" + query),
      headers: [HTTPHeader("Accept", "text/event-stream")])
    if case .after(let sequence) = start { request.headers.append(HTTPHeader("Last-Event-ID", String(sequence))) }
    let stream = try await open(request, within: patience)
    guard stream.status == 200 else { throw .problem(try await problem(stream)) }
    guard stream.headers[first: "Content-Type"]?.hasPrefix("text/event-stream") == true else {
      throw .unreadable(socket: socket, words: "it does not give a stream of events")
    }
    return EventFeed(socket: socket, stream: stream)
  }

  /// Opens the stream; a daemon that does not begin to answer in time counts as absent.
  func open(_ request: HTTPRequest, within patience: Duration) async throws(ControlError) -> HTTPStream {
    let opened = await withTaskGroup(of: Result<HTTPStream, ControlError>.self) { group in
      group.addTask {
        do throws(TransferError) {
          return .success(try await transport.stream(request))
        } catch {
          return .failure(ControlError(error, socket: socket))
        }
      }
      group.addTask {
        do {
          try await Task.sleep(for: patience)
          return .failure(.noDaemon(socket: socket, words: "no answer within \(patience.wholeSeconds) s"))
        } catch {
          return .failure(.cancelled)
        }
      }
      defer { group.cancelAll() }
      return await group.next() ?? .failure(.cancelled)
    }
    return try opened.get()
  }

  func problem(_ stream: HTTPStream) async throws(ControlError) -> ProblemDocument {
    var body: [UInt8] = []
    do throws(TransferError) {
      while let chunk = try await stream.next() { if body.count < 64 << 10 { body += chunk } }
    } catch {
      throw ControlError(error, socket: socket)
    }
    return problem(status: stream.status, headers: stream.headers, body: body)
  }
}
