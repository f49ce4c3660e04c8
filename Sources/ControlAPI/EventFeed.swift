import HTTPTransfer

/// The daemon's events as they come. It ends where the daemon ends it; going on from the last id is the caller's. Where the
/// daemon says that it cannot read its events, it throws ``ControlError/problem(_:)``.
///
/// Only one task at a time may read it. Cancelling that task, or letting go of the feed, cuts the connection.
public struct EventFeed: AsyncSequence, Sendable {
  /// What the stream says.
  public enum Signal: Hashable, Sendable {
    /// Something happened.
    case event(EventMessage)
    /// Events were lost: the stream could not begin where it was asked to, because those are no longer kept.
    case reset
    /// All events up to this sequence have been told or were not asked for: where to go on although none came yet.
    case position(Int64)
  }

  private let socket: String
  private let body: HTTPStream.Body

  init(socket: String, body: HTTPStream.Body) {
    self.socket = socket
    self.body = body
  }

  /// Goes on where the stream is.
  public func makeAsyncIterator() -> Iterator { Iterator(socket: socket, chunks: body.makeAsyncIterator()) }

  /// Takes one signal after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let socket: String
    fileprivate var chunks: HTTPStream.Body.Iterator
    private var parser = EventStreamParser()
    private var waiting: ArraySlice<Signal> = []
    /// What ended the stream, told once all that came before it is taken.
    private var failure: ProblemDocument?

    fileprivate init(socket: String, chunks: HTTPStream.Body.Iterator) {
      self.socket = socket
      self.chunks = chunks
    }

    /// The next signal; nil where the daemon ended the stream. Throws ``ControlError``.
    public mutating func next() async throws(ControlError) -> Signal? {
      try await next(isolation: nil)
    }

    /// The next signal, as ``next()``.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(ControlError) -> Signal? {
      while true {
        if let signal = waiting.popFirst() { return signal }
        if let failure { throw .problem(failure) }
        let chunk: [UInt8]?
        do {
          chunk = try await chunks.next(isolation: actor)
        } catch {
          throw ControlError(error, socket: socket)
        }
        guard let chunk else { return nil }
        waiting = try signals(chunk)[...]
      }
    }

    private mutating func signals(_ chunk: [UInt8]) throws(ControlError) -> [Signal] {
      do {
        return try parser.read(chunk).compactMap { try signal($0) }
      } catch {
        throw .unreadable(socket: socket, words: "an event cannot be read: \(error)")
      }
    }

    private mutating func signal(_ block: EventStreamParser.Block) throws -> Signal? {
      guard let data = block.data else { return Int64(block.lastEventID).map(Signal.position) }
      switch block.type {
      case "reset": return .reset
      case "error":
        failure = try ControlJSON.decode(ProblemDocument.self, from: data.utf8)
        return nil
      case "message":
        var event = try ControlJSON.decode(EventMessage.self, from: data.utf8)
        event.sequence = Int64(block.lastEventID) ?? 0
        return .event(event)
      default: return nil  // of a later version
      }
    }
  }
}
