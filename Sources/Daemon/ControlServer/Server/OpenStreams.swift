import Synchronization

/// The open streams of events: it bounds their number, and ends all of them when the server stops.
final class OpenStreams: Sendable {
  private struct Contents {
    var free: Int
    var isStopping = false
    var places: [ObjectIdentifier: AsyncStream<Never>.Continuation] = [:]
  }

  private let state: Mutex<Contents>

  init(_ count: Int) { state = Mutex(Contents(free: count)) }

  /// Returns a place for a stream, which is free again when it is deinitialized; nil if none is free, or the server stops.
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

  var isStopping: Bool { state.withLock { $0.isStopping } }

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

  final class Place: Sendable {
    /// Finishes when the stream has to end.
    let end: AsyncStream<Never>
    fileprivate let continuation: AsyncStream<Never>.Continuation
    private let streams: OpenStreams

    fileprivate init(_ streams: OpenStreams) {
      (end, continuation) = AsyncStream.makeStream(of: Never.self)
      self.streams = streams
    }

    deinit { streams.giveBack(ObjectIdentifier(self)) }

    func finish() { continuation.finish() }

    var isStopping: Bool { streams.isStopping }
  }
}
