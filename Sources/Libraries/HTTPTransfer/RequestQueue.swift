/// Decides which request may begin, and which one may send bytes. It does no I/O and reads no clock; a request is a number here.
///
/// A request first waits for a *place* in flight: at most ``limit`` requests have one. Small requests come first, in their order. Large
/// ones (``RequestTraits/isLarge``) wait in a line for each server, and together get half of the places. Beyond that half, a server
/// without a large request in flight gets one, if another place stays free. So a slow server delays no large requests to others.
///
/// A request with a limit of requests a second (``RequestTraits/rate``) takes a token together with its place. Small ones have a line for
/// each limit, so that they delay no others; of one limit's requests that may have a place, the oldest goes first.
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

  /// The large requests of one server, or small ones, with the same limit of requests a second.
  private struct Line {
    let traits: RequestTraits
    var inFlight = 0
    var waiting: [ID] = []

    func takes(_ other: RequestTraits) -> Bool {
      traits.isLarge == other.isLarge && traits.rate == other.rate && traits.peer == other.peer
    }
  }

  /// A request that has a place.
  private struct Place {
    let traits: RequestTraits
    var hasBegun = false
    /// True if it waits for its turn to send.
    var isPaused = false
    /// The number of bytes that it was granted and has not sent yet.
    var credit = 0
  }

  /// The maximum number of requests in flight.
  var limit: Int
  private let rates: RequestRates
  private var waiting: [ID: RequestTraits] = [:]
  /// The small requests without a limit of requests a second that wait for a place.
  private var line: [ID] = []
  private var lines: [Line] = []
  /// The time at which places were given last: what could not begin then for lack of a token alone waits for a time.
  private var lastGiven: Int64 = .min
  private var places: [ID: Place] = [:]
  private var largeInFlight = 0
  private var pace: SendPace?
  /// The requests that wait for their turn to send.
  private var paused: [ID] = []

  /// - Parameters:
  ///   - rate: the limit of bytes per second for all together; nil for no limit.
  ///   - now: the time in milliseconds on a steady clock, as in all methods here.
  init(limit: Int, rate: Int64? = nil, rates: RequestRates = RequestRates(), now: Int64 = 0) {
    self.limit = limit
    self.rates = rates
    set(rate: rate, now: now)
  }

  /// Changes the limit of bytes per second, also for waiting requests.
  mutating func set(rate: Int64?, now: Int64) { pace = rate.map { SendPace(rate: $0, now: now) } }

  /// The number of requests that have a place.
  var inFlight: Int { places.count }
  /// True if a request that has a place waits for its turn to send.
  var hasPaused: Bool { !paused.isEmpty }

  /// The requests that wait for a place and have a limit of requests a second.
  var rated: [ID] { waiting.filter { $0.value.rate != nil }.keys.sorted() }

  /// The time of the next turn; nil if no request waits for a time.
  func deadline(now: Int64) -> Int64? {
    guard hasPaused || !lines.isEmpty else { return nil }
    let rates = inFlight < limit ? lines.filter { !$0.waiting.isEmpty }.compactMap(\.traits.rate) : []
    let tokens = rates.compactMap { self.rates.next($0) }.filter { $0 > lastGiven }
    return (tokens + (hasPaused ? [pace?.next ?? now] : [])).min()
  }

  /// Gives a request a place at once if no other waits and its bytes are not limited, as ``next(now:)`` would. Returns false if it must be
  /// added.
  mutating func enter(_ id: ID, _ traits: RequestTraits) -> Bool {
    guard !traits.isLarge, traits.rate == nil, line.isEmpty, inFlight < limit,
      traits.pacedBytes == 0 || (pace == nil && !hasPaused)
    else { return false }
    places[id] = Place(traits: traits, hasBegun: true)
    return true
  }

  /// Adds a request that waits for a place.
  mutating func add(_ id: ID, _ traits: RequestTraits) {
    waiting[id] = traits
    guard traits.isLarge || traits.rate != nil else { return line.append(id) }
    if let rate = traits.rate { rates.wait(rate) }
    let index = lines.firstIndex { $0.takes(traits) } ?? lines.endIndex
    if index == lines.endIndex { lines.append(Line(traits: traits)) }
    lines[index].waiting.append(id)
  }

  /// Removes a request that was not allowed to begin yet; returns false if there is no such request.
  mutating func remove(_ id: ID) -> Bool {
    if let traits = waiting.removeValue(forKey: id) {
      if let rate = traits.rate { rates.wait(rate, -1) }
      line.removeAll { $0 == id }
      if let index = lines.firstIndex(where: { $0.takes(traits) }) {
        lines[index].waiting.removeAll { $0 == id }
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
    guard let index = lines.firstIndex(where: { $0.takes(place.traits) }) else { return }
    lines[index].inFlight -= 1
    dropIfEmpty(index)
  }

  /// Removes all requests that were not allowed to begin, and returns them in the order of their arrival.
  mutating func removeAll() -> [ID] {
    let all = (Array(waiting.keys) + places.filter { !$0.value.hasBegun }.map(\.key)).sorted()
    for id in all { _ = remove(id) }
    return all
  }

  private mutating func dropIfEmpty(_ index: Int) {
    if lines[index].inFlight == 0, lines[index].waiting.isEmpty { lines.remove(at: index) }
  }

  /// Returns the next turn that has come; nil if there is none. Call it until it returns nil.
  mutating func next(now: Int64) -> Turn? {
    lastGiven = now
    while let id = nextPlace(now) {
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
  private mutating func nextPlace(_ now: Int64) -> ID? {
    guard inFlight < limit else { return nil }
    guard let index = nextLine(now) else { return line.isEmpty ? nil : givePlace(to: line.removeFirst()) }
    let id = lines[index].waiting.removeFirst()
    if let rate = lines[index].traits.rate { rates.take(rate) }
    if lines[index].traits.isLarge {
      largeInFlight += 1
      lines[index].inFlight += 1
    }
    dropIfEmpty(index)
    return givePlace(to: id)
  }

  /// The line that has the next turn; nil if it is that of the small requests without a limit, or nobody's. Of servers it is the one with
  /// the fewest large requests in flight.
  private func nextLine(_ now: Int64) -> Int? {
    var (small, large): (Int?, Int?)
    for index in lines.indices where !lines[index].waiting.isEmpty {
      if let rate = lines[index].traits.rate, !rates.mayBegin(rate, at: now) { continue }
      if lines[index].traits.isLarge {
        if let large, lines[large].inFlight <= lines[index].inFlight { continue }
        large = index
      } else if small.map({ lines[index].waiting[0] < lines[$0].waiting[0] }) ?? true {
        small = index
      }
    }
    if let first = large, largeInFlight >= max(1, limit / 2), lines[first].inFlight > 0 || inFlight + 1 >= limit {
      large = nil
    }
    guard let small else { return line.isEmpty ? large : nil }
    if let first = line.first, first < lines[small].waiting[0] { return nil }
    guard let large, lines[large].traits.rate == lines[small].traits.rate else { return small }
    return lines[large].waiting[0] < lines[small].waiting[0] ? large : small
  }

  private mutating func givePlace(to id: ID) -> ID? {
    guard let traits = waiting.removeValue(forKey: id) else { return nil }
    places[id] = Place(traits: traits)
    return id
  }
}
