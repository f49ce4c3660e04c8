/// Decides which request may begin, and which one may send bytes. It does no I/O and reads no clock; a request is a number here.
///
/// A request first waits for a *place* in flight: at most ``limit`` requests have one. Small requests come first, in their order. Large
/// ones (``RequestTraits/isLarge``) wait in a line for each server, and together get half of the places. Beyond that half, a server
/// without a large request in flight gets one, if another place stays free. So a slow server delays no large requests to others.
///
/// With a limit of bytes per second, a request that has a place also waits for its *turn to send*. If its body is in memory, it waits
/// before it begins, and the body is then sent as a whole. A body from a file is sent in portions, and the transfer is paused in between.
/// All wait in one line, so that each gets a turn before another gets its second.
///
/// Lines are arrays: to move the numbers of thousands of waiting requests costs less than sending one.
struct RequestQueue {
  typealias ID = UInt64

  /// The result of ``next(now:)``.
  enum Turn: Hashable {
    /// The request has a place, and may be built and begun.
    case begin(ID)
    /// The paused transfer may send another portion.
    case goOn(ID)
  }

  /// The large requests of one server.
  private struct Server {
    let peer: String
    var inFlight = 0
    var waiting: [ID] = []
  }

  /// A request that has a place.
  private struct Place {
    let traits: RequestTraits
    /// True if it was allowed to begin.
    var hasBegun = false
    /// True if it waits for its turn to send.
    var isPaused = false
    /// The number of bytes that it was granted and has not sent yet.
    var credit = 0
  }

  /// The maximum number of requests in flight.
  var limit: Int
  private var waiting: [ID: RequestTraits] = [:]
  /// The small requests that wait for a place.
  private var line: [ID] = []
  private var servers: [Server] = []
  private var places: [ID: Place] = [:]
  private var largeInFlight = 0
  private var pace: SendPace?
  /// The requests that wait for their turn to send.
  private var paused: [ID] = []

  /// - Parameters:
  ///   - rate: the limit of bytes per second for all together; nil for no limit.
  ///   - now: the time in milliseconds on a steady clock, as in all methods here.
  init(limit: Int, rate: Int64? = nil, now: Int64 = 0) {
    self.limit = limit
    set(rate: rate, now: now)
  }

  /// Changes the limit of bytes per second, also for waiting requests.
  mutating func set(rate: Int64?, now: Int64) { pace = rate.map { SendPace(rate: $0, now: now) } }

  /// The number of requests that have a place.
  var inFlight: Int { places.count }
  /// True if a request that has a place waits for its turn to send.
  var hasPaused: Bool { !paused.isEmpty }

  /// The time of the next turn to send; nil if no request waits for one.
  func deadline(now: Int64) -> Int64? { hasPaused ? pace?.next ?? now : nil }

  // MARK: Coming and going

  /// Gives a request a place at once if no other waits and its bytes are not limited, as ``next(now:)`` would. Returns false if it must be
  /// added.
  mutating func enter(_ id: ID, _ traits: RequestTraits) -> Bool {
    guard !traits.isLarge, line.isEmpty, inFlight < limit, traits.pacedBytes == 0 || (pace == nil && !hasPaused)
    else { return false }
    places[id] = Place(traits: traits, hasBegun: true)
    return true
  }

  /// Adds a request that waits for a place.
  mutating func add(_ id: ID, _ traits: RequestTraits) {
    waiting[id] = traits
    guard traits.isLarge else { return line.append(id) }
    let index = servers.firstIndex { $0.peer == traits.peer } ?? servers.endIndex
    if index == servers.endIndex { servers.append(Server(peer: traits.peer)) }
    servers[index].waiting.append(id)
  }

  /// Removes a request that was not allowed to begin yet; returns false if there is no such request.
  mutating func remove(_ id: ID) -> Bool {
    if let traits = waiting.removeValue(forKey: id) {
      if !traits.isLarge {
        line.removeAll { $0 == id }
      } else if let index = servers.firstIndex(where: { $0.peer == traits.peer }) {
        servers[index].waiting.removeAll { $0 == id }
        dropIfEmpty(index)
      }
      return true
    }
    guard places[id]?.hasBegun == false else { return false }
    release(id)
    return true
  }

  /// Releases a place; bytes that were granted and not sent go to others. `unsent` is true if a request that was allowed to begin
  /// sends nothing after all. Without a place, nothing happens.
  mutating func release(_ id: ID, unsent: Bool = false) {
    guard let place = places.removeValue(forKey: id) else { return }
    if place.isPaused { paused.removeAll { $0 == id } }
    pace?.refund(place.credit + (unsent && place.hasBegun ? place.traits.pacedBytes : 0))
    guard place.traits.isLarge else { return }
    largeInFlight -= 1
    guard let index = servers.firstIndex(where: { $0.peer == place.traits.peer }) else { return }
    servers[index].inFlight -= 1
    dropIfEmpty(index)
  }

  /// Removes all requests that were not allowed to begin, and returns them in the order of their arrival.
  mutating func removeAll() -> [ID] {
    let all = (Array(waiting.keys) + places.filter { !$0.value.hasBegun }.map(\.key)).sorted()
    for id in all { _ = remove(id) }
    return all
  }

  private mutating func dropIfEmpty(_ index: Int) {
    if servers[index].inFlight == 0, servers[index].waiting.isEmpty { servers.remove(at: index) }
  }

  // MARK: Turns

  /// Returns the next turn that has come; nil if there is none. Call it until it returns nil.
  mutating func next(now: Int64) -> Turn? {
    while let id = nextPlace() {
      let bytes = places[id]?.traits.pacedBytes ?? 0
      guard bytes > 0 else { return begin(id) }
      guard !hasPaused, advancePace(now) else {
        pause(id)
        continue
      }
      return begin(id)
    }
    guard let next = paused.first, advancePace(now), var place = places[next] else { return nil }
    paused.removeFirst()
    place.isPaused = false
    let portion = place.hasBegun ? pace?.portion ?? 0 : 0
    place.credit = portion
    places[next] = place
    guard place.hasBegun else { return begin(next) }
    pace?.spend(portion)
    return .goOn(next)
  }

  /// Grants a transfer some of the bytes of a file that it wants to send; nil if it must pause until its turn comes.
  mutating func grant(_ id: ID, upTo count: Int, now: Int64) -> Int? {
    if var place = places[id], place.credit > 0 {
      let granted = min(count, place.credit)
      place.credit -= granted
      places[id] = place
      return granted
    }
    guard !hasPaused, advancePace(now) else {
      pause(id)
      return nil
    }
    guard let portion = pace?.portion else { return count }
    let granted = min(count, portion)
    pace?.spend(granted)
    return granted
  }

  private mutating func begin(_ id: ID) -> Turn {
    // The entry is read and written as a whole, because changing it in place by optional chaining allocates memory.
    if var place = places[id] {
      place.hasBegun = true
      places[id] = place
      pace?.spend(place.traits.pacedBytes)
    }
    return .begin(id)
  }

  private mutating func advancePace(_ now: Int64) -> Bool { pace?.advance(now: now) ?? true }

  private mutating func pause(_ id: ID) {
    guard var place = places[id], !place.isPaused else { return }
    place.isPaused = true
    places[id] = place
    paused.append(id)
  }

  /// Gives the next request a place; nil if no place is free, or no request waits.
  private mutating func nextPlace() -> ID? {
    guard inFlight < limit else { return nil }
    if !line.isEmpty { return givePlace(to: line.removeFirst()) }
    guard let index = nextServer else { return nil }
    largeInFlight += 1
    servers[index].inFlight += 1
    return givePlace(to: servers[index].waiting.removeFirst())
  }

  private mutating func givePlace(to id: ID) -> ID? {
    guard let traits = waiting.removeValue(forKey: id) else { return nil }
    places[id] = Place(traits: traits)
    return id
  }

  /// The server with the fewest large requests in flight, among those with waiting ones; nil if all must wait.
  private var nextServer: Int? {
    var first: Int?
    for index in servers.indices where !servers[index].waiting.isEmpty {
      if let known = first, servers[known].inFlight <= servers[index].inFlight { continue }
      first = index
    }
    guard let first, largeInFlight >= max(1, limit / 2) else { return first }
    return servers[first].inFlight == 0 && inFlight + 1 < limit ? first : nil
  }
}
