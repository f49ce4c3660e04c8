import HTTPTransfer
import Linux
import MessageLiterals
import Seams
import SeededNumbers
import Simulation
import Synchronization

/// The network between the daemon and its servers, in virtual time.
final class SimulatedNetwork: Sendable {
  /// What outlives the daemon: the servers, and what is on the way to them.
  struct State: Codable, Sendable {
    var sides: Servers
    var numbers: SplitMix64
    /// Requests that a server will act on, whoever still waits for the answer.
    var arriving: [Arrival] = []
    var sent = 0
    /// The pace of requests that are refused.
    var pace = OutagePace()

    struct Arrival: Codable, Sendable {
      var request: FarRequest
      /// When the server acts, in microseconds.
      var actsAt: Int64
    }
  }

  fileprivate struct Flight: Sendable {
    let request: FarRequest
    let sent: HTTPRequest
    let line: WorldLine
    let end: @Sendable (Result<HTTPResponse, TransferError>) -> Void
    /// True if it is sent for the second time, because its connection ended without an answer.
    let isRepeated: Bool
    let outcome: Passage.Outcome
    var answer: FarAnswer?

    /// True if all of it has left the machine as soon as it was sent.
    var isSentAtOnce: Bool { request.body.count <= SimulatedNetwork.socketBuffer }

    func response(_ answer: FarAnswer) -> HTTPResponse {
      var response = answer.response(limit: sent.bodyLimit, bytesSent: Int64(request.body.count))
      response.wasRepeated = isRepeated
      return response
    }
  }

  fileprivate struct Contents {
    var state: State
    var flights: [Int: Flight] = [:]
    /// The requests among them that the server has not acted on, with their time.
    var unacted: [Int: Int64] = [:]
    /// What is on its way to a server although nobody waits for the answer: the daemon has died, or has cut it.
    var unheard: [Int: State.Arrival] = [:]
    var lastUnheard = 0
    /// The most requests that this daemon had in flight at once.
    var mostInFlight = 0
  }

  /// What fits into a socket's buffer is sent whole, however soon its connection is cut.
  fileprivate static let socketBuffer = 64 << 10
  /// The requests in a thousand that a server still acts on although nobody waits for their answer any more, if they were sent whole.
  private static let landingPermille = 500
  /// The lost requests in a thousand that libcurl repeats by itself.
  private static let repeatedPermille = 500
  /// The longest time after which it does. A storage may take minutes, as AWS for CompleteMultipartUpload: the daemon waits for
  /// `StorageSettings.completeTimeout`, which is 10 minutes here.
  fileprivate static let longestLanding = (soon: Duration.seconds(4), storage: Duration.seconds(9 * 60))

  private let contents: Mutex<Contents>
  private let world = Mutex<SimulatedWorld?>(nil)
  private let alteration = Mutex<(@Sendable (FarAnswer) -> FarAnswer)?>(nil)

  /// Has all answers come as this makes them.
  func alter(_ alteration: @escaping @Sendable (FarAnswer) -> FarAnswer) {
    self.alteration.withLock { $0 = alteration }
  }

  init(_ state: State) { contents = Mutex(Contents(state: state)) }

  /// Puts the network into its world. What was on the way when the last daemon died arrives.
  func connect(_ world: SimulatedWorld) {
    self.world.withLock { $0 = world }
    let now = world.elapsed
    let arriving = contents.withLock { contents in
      exchange(&contents.state.arriving, with: []).map { arrival in
        var arrival = arrival
        arrival.actsAt = max(arrival.actsAt, now + contents.lateness(of: arrival.request, permille: 200))
        return arrival
      }
    }
    for arrival in arriving { send(unheard: arrival) }
  }

  /// True if nothing is on its way to a server of which nobody hears any more.
  var isHeard: Bool { contents.withLock(\.unheard.isEmpty) }

  /// What the next daemon finds.
  var state: State {
    contents.withLock { contents in
      var state = contents.state
      let flights = contents.unacted.sorted { $0.key < $1.key }.compactMap { number, time in
        contents.flights[number].map { State.Arrival(request: $0.request, actsAt: time) }
      }
      let arriving = (contents.unheard.sorted { $0.key < $1.key }.map(\.value) + flights).enumerated()
      state.arriving = arriving.sorted { ($0.element.actsAt, $0.offset) < ($1.element.actsAt, $1.offset) }
        .map(\.element)
      return state
    }
  }

  func withSides<Value: Sendable>(_ body: (inout Servers) -> Value) -> Value {
    contents.withLock { body(&$0.state.sides) }
  }

  /// The hosts for whose answer somebody waits, once for each request.
  var hostsInFlight: [String] { contents.withLock { $0.flights.values.map(\.request.host) } }

  var mostInFlight: Int { contents.withLock(\.mostInFlight) }

  func send(
    _ request: HTTPRequest, in line: WorldLine, _ end: @escaping @Sendable (Result<HTTPResponse, TransferError>) -> Void
  ) -> Int {
    guard let world = world.withLock(\.self) else { return 0 }
    let now = world.elapsed
    let number = contents.withLock { contents in
      contents.state.sent += 1
      return contents.state.sent
    }
    let body: [UInt8]
    do throws(TransferError) {
      body = try request.wholeBody()
    } catch {
      let failure = error
      world.run(in: line) { end(.failure(failure)) }
      return number
    }
    guard let far = FarRequest(request, body: body, sentAt: .microseconds(now)) else {
      world.run(in: line) { end(.failure(TransferError(.other, "the URL cannot be understood"))) }
      return number
    }
    begin(number, far, as: request, in: line, world, isRepeated: false, end)
    return number
  }

  private func begin(
    _ number: Int, _ far: FarRequest, as request: HTTPRequest, in line: WorldLine, _ world: SimulatedWorld,
    isRepeated: Bool, _ end: @escaping @Sendable (Result<HTTPResponse, TransferError>) -> Void
  ) {
    let now = world.elapsed
    let passage = contents.withLock { contents in
      let passage = contents.state.sides.passage(of: far, now: .microseconds(now), &contents.state.numbers)
        .cut(by: request, isSentAtOnce: far.body.count <= Self.socketBuffer, sentAt: .microseconds(now))
      contents.flights[number] = Flight(
        request: far, sent: request, line: line, end: end, isRepeated: isRepeated, outcome: passage.outcome)
      if let time = passage.actsAt { contents.unacted[number] = time.microseconds }
      contents.mostInFlight = max(contents.mostInFlight, contents.flights.count)
      return passage
    }
    if let time = passage.actsAt {
      _ = world.run(in: nil, after: time - .microseconds(now)) { [self] in act(number) }
    }
    let heard = passage.heardAt ?? passage.end(of: request, sentAt: .microseconds(now))
    _ = world.run(in: line, after: heard - .microseconds(now)) { [self] in hear(number) }
  }

  /// Cuts a request: nobody waits for its answer any more. Returns true if it may have arrived.
  func cut(_ number: Int) -> Bool {
    guard let now = world.withLock(\.self)?.elapsed else { return true }
    let (mayHaveArrived, late) = contents.withLock { contents -> (Bool, State.Arrival?) in
      guard let flight = contents.flights.removeValue(forKey: number) else { return (true, nil) }
      let actsAt = contents.unacted.removeValue(forKey: number)
      if case .silence(false) = flight.outcome { return (false, nil) }
      // What was not sent whole never arrives. What was may, and whoever has acted has acted.
      guard actsAt != nil, flight.isSentAtOnce else { return (true, nil) }
      let isLanding = contents.state.numbers.isOne(in: Self.landingPermille)
      let pause = contents.lateness(of: flight.request, permille: 300)
      return (true, isLanding ? State.Arrival(request: flight.request, actsAt: now + pause) : nil)
    }
    if let late { send(unheard: late) }
    return mayHaveArrived
  }

  /// Has a server act on a request whose answer nobody hears.
  private func send(unheard arrival: State.Arrival) {
    guard let world = world.withLock(\.self) else { return }
    let number = contents.withLock { contents in
      contents.lastUnheard += 1
      contents.unheard[contents.lastUnheard] = arrival
      return contents.lastUnheard
    }
    _ = world.run(in: nil, after: .microseconds(max(0, arrival.actsAt - world.elapsed))) { [self] in
      contents.withLock { contents in
        guard let arrival = contents.unheard.removeValue(forKey: number) else { return }
        _ = contents.state.sides.act(on: arrival.request, now: .microseconds(world.elapsed))
      }
    }
  }

  /// Draws whether libcurl sends a request again: its connection, a kept one, ended without an answer.
  private func isRepeating(_ flight: Flight) -> Bool {
    guard case .failure(let trouble, _) = flight.outcome, trouble.kind == TransferError.Kind.connectionLost.rawValue,
      flight.sent.mayBeRepeated, !flight.isRepeated
    else { return false }
    return contents.withLock { $0.state.numbers.isOne(in: Self.repeatedPermille) }
  }

  private func act(_ number: Int) {
    guard let now = world.withLock(\.self)?.elapsed else { return }
    contents.withLock { contents in
      guard contents.unacted.removeValue(forKey: number) != nil, let flight = contents.flights[number] else { return }
      contents.flights[number]?.answer = contents.state.sides.act(on: flight.request, now: .microseconds(now))
    }
  }

  private func hear(_ number: Int) {
    let (heard, late) = contents.withLock { contents -> (Flight?, State.Arrival?) in
      guard let flight = contents.flights.removeValue(forKey: number) else { return (nil, nil) }
      let actsAt = contents.unacted.removeValue(forKey: number)
      return (flight, actsAt.map { State.Arrival(request: flight.request, actsAt: $0) })
    }
    if let late { send(unheard: late) }
    guard let flight = heard else { return }
    if isRepeating(flight), let world = world.withLock(\.self) {
      return begin(
        number, flight.request, as: flight.sent, in: flight.line, world, isRepeated: true, flight.end)
    }
    if let now = world.withLock(\.self)?.elapsed {
      let isRefusal = flight.outcome.isRefusal(flight.answer)
      contents.withLock { $0.state.pace.heard(flight.request.host, isRefusal: isRefusal, at: .microseconds(now)) }
    }
    let altered = alteration.withLock(\.self) ?? { $0 }
    switch flight.outcome {
    case .answer:
      guard let answer = flight.answer.map(altered) else { return }
      withSides { $0.noteHeard(answer, of: flight.request) }
      flight.end(.success(flight.response(answer)))
    case .instead(let answer, _):
      flight.end(.success(flight.response(altered(answer))))
    case .failure(let trouble, _): flight.end(.failure(trouble.error(host: flight.request.host)))
    case .silence(let isConnected):
      flight.end(
        .failure(
          TransferError(
            .timeout, "\(flight.request.host) did not \(isConnected ? "answer" : "take a connection") in time",
            requestMayHaveArrived: isConnected)))
    }
  }
}

extension SimulatedNetwork.Contents {
  /// Draws the time after which a server acts on a request that nobody waits for: for some at a storage it is minutes.
  fileprivate mutating func lateness(of request: FarRequest, permille: Int) -> Int64 {
    let isLong = state.numbers.isOne(in: permille)
    let isStorage = state.sides.index(of: request).map { state.sides.all[$0].storage != nil } ?? false
    let longest = SimulatedNetwork.longestLanding
    return state.numbers.duration(upTo: isLong && isStorage ? longest.storage : longest.soon).microseconds
  }
}

extension Passage {
  /// The longest wait of a caller without any time-out.
  private static let patience = Duration.seconds(300)

  /// The time at which the caller gives up if it has heard nothing by then.
  fileprivate func end(of request: HTTPRequest, sentAt now: Duration) -> Duration {
    if case .silence(false) = outcome { return now + request.connectTimeout }
    // Once all is sent, no byte moves until the answer comes.
    let sent = actsAt ?? now
    let ends = [
      request.totalTimeout.map { now + $0 }, request.answerTimeout.map { sent + $0 },
      request.stallTimeout.map { sent + $0 },
    ]
    return ends.compactMap(\.self).min() ?? sent + Self.patience
  }

  /// The same for a caller with these time-outs: an answer that comes later is not heard. What was sent whole by then takes effect all the
  /// same.
  fileprivate func cut(by request: HTTPRequest, isSentAtOnce: Bool, sentAt now: Duration) -> Passage {
    let end = end(of: request, sentAt: now)
    guard let heardAt, heardAt > end else { return self }
    return Passage(actsAt: actsAt.flatMap { isSentAtOnce || $0 <= end ? $0 : nil }, .silence(isConnected: true))
  }
}

extension HTTPRequest {
  /// Reads all bytes of the request's body, as the server would receive them.
  /// - Throws: ``TransferError/Kind/readFailed`` for a file that cannot be read or ends early.
  fileprivate func wholeBody() throws(TransferError) -> [UInt8] {
    guard case .file(let file, let offset, let length) = body else {
      if case .bytes(let bytes) = body { return bytes }
      return []
    }
    do throws(FileError) {
      let whole = try file.read(at: offset, count: Int(length))
      if whole.count == length { return whole }
    } catch {
      throw TransferError(.readFailed, "the file cannot be read", osError: error.errno)
    }
    throw TransferError(.readFailed, "the file ended early")
  }
}
