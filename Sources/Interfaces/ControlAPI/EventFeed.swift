import HTTPTransfer
import Messages

/// The daemon's events as they come. The feed ends when the daemon ends it; to continue after the last id is up to the caller. If
/// the daemon reports that it cannot read its events, the feed throws ``ControlError/problem(_:)``.
///
/// Only one task at a time may read it. Cancelling that task, or releasing the feed, cuts the connection.
public struct EventFeed: AsyncSequence, Sendable {
  /// A signal of the stream.
  public enum Signal: Hashable, Sendable {
    /// An event happened.
    case event(EventMessage)
    /// Events were lost: the stream could not begin at the requested event, because events after it are not kept.
    case reset
    /// The position to continue from although no event has come yet: all events up to this number were sent or were not asked
    /// for.
    case position(Int64)
  }

  let socket: String
  let stream: HTTPStream

  /// Continues from the present position of the stream.
  public func makeAsyncIterator() -> Iterator { Iterator(socket: socket, stream: stream) }

  /// Reads one signal after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let socket: String
    fileprivate let stream: HTTPStream
    private var parser = EventStreamParser()
    private var waiting: ArraySlice<Signal> = []
    /// The problem that ended the stream, thrown once all signals before it were read.
    private var failure: ProblemDocument?

    fileprivate init(socket: String, stream: HTTPStream) {
      self.socket = socket
      self.stream = stream
    }

    /// Returns the next signal; nil if the daemon ended the stream. Throws ``ControlError``.
    public mutating func next() async throws(ControlError) -> Signal? {
      try await next(isolation: nil)
    }

    /// Returns the next signal, as ``next()`` does.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(ControlError) -> Signal? {
      while true {
        if let signal = waiting.popFirst() { return signal }
        if let failure { throw .problem(failure) }
        let chunk: [UInt8]?
        do {
          chunk = try await stream.next()
        } catch {
          throw ControlError(error, socket: socket)
        }
        guard let chunk else { return nil }
        waiting = try signals(chunk)[...]
      }
    }

    private mutating func signals(_ chunk: [UInt8]) throws(ControlError) -> [Signal] {
      var signals: [Signal] = []
      do {
        for block in try parser.read(chunk) {
          if let signal = try signal(block) { signals.append(signal) }
        }
      } catch {
        let words = (error as? JSONFault)?.words ?? "\(error)"
        throw .unreadable(socket: socket, words: "an event cannot be read: \(words)")
      }
      return signals
    }

    private mutating func signal(_ block: EventStreamParser.Block) throws(JSONFault) -> Signal? {
      guard let data = block.data else { return Int64(block.lastEventID).map(Signal.position) }
      switch block.type {
      case "reset": return .reset
      case "error":
        failure = try ProblemDocument(bytes: Array(data.utf8))
        return nil
      case "message":
        var event = try EventMessage(bytes: Array(data.utf8))
        event.sequence = Int64(block.lastEventID) ?? 0
        return .event(event)
      default: return nil  // of a later version
      }
    }
  }
}
