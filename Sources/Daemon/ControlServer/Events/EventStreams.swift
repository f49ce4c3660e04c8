import Synchronization

/// The streams of events that are open: how many there may be, and the word that all of them end.
final class EventStreams: Sendable {
  private struct Contents {
    var free: Int
    var isStopping = false
    var places: [ObjectIdentifier: AsyncStream<Never>.Continuation] = [:]
  }

  private let state: Mutex<Contents>

  init(_ count: Int) { state = Mutex(Contents(free: count)) }

  /// A place for a stream, held until it is let go; nil where there is none left, or the server stops.
  func openPlace() -> Place? {
    let place = Place(self)
    let hasOne = state.withLock { state in
      guard state.free > 0, !state.isStopping else { return false }
      state.free -= 1
      state.places[ObjectIdentifier(place)] = place.continuation
      return true
    }
    return hasOne ? place : nil
  }

  /// True if ``endAll()`` was called.
  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Has all streams end, and lets no more begin.
  func endAll() {
    let places = state.withLock { state in
      state.isStopping = true
      return Array(state.places.values)
    }
    for place in places { place.finish() }
  }

  private func giveBack(_ place: ObjectIdentifier) {
    state.withLock { state in
      guard state.places.removeValue(forKey: place) != nil else { return }
      state.free += 1
    }
  }

  /// One stream's place.
  final class Place: Sendable {
    /// Ends when the stream has to.
    let end: AsyncStream<Never>
    fileprivate let continuation: AsyncStream<Never>.Continuation
    private let streams: EventStreams

    fileprivate init(_ streams: EventStreams) {
      (end, continuation) = AsyncStream.makeStream(of: Never.self)
      self.streams = streams
    }

    deinit { streams.giveBack(ObjectIdentifier(self)) }

    /// Has this stream end.
    func finish() { continuation.finish() }

    /// True if the whole server stops.
    var isStopping: Bool { streams.isStopping }
  }
}
