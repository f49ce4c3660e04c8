package import NIOCore
package import NIOHTTPTypes
import Synchronization

/// The connections of a server, up to a limit. When the limit is reached, a new connection replaces another one: of the peer that
/// has the most connections, the one that has been idle for the longest time. So a peer that opens many connections does not keep
/// others out, whatever it sends.
///
/// A connection is idle unless the server works on a request of its peer and the peer reads the answer. If none is idle, a
/// connection is replaced that is not at its first request, or whose peer has more connections than the new one's.
package final class ConnectionTable: Sendable {
  private struct Connection {
    var channel: any Channel
    /// The peer, whose connections share a part of the limit.
    var peer: String
    /// The number of its arrival.
    var since: UInt64
    let cameAt = NIODeadline.now()
    /// The number of the event with which it became idle; nil while it is busy.
    var idleSince: UInt64?
    /// The number of requests that it has sent.
    var requests = 0
  }

  private struct Contents {
    var connections: [ObjectIdentifier: Connection] = [:]
    /// The connections that were accepted and are not in `connections` yet.
    var coming: Set<ObjectIdentifier> = []
    var turns: UInt64 = 0

    mutating func nextTurn() -> UInt64 {
      turns += 1
      return turns
    }

    /// Returns the connection that a new one replaces; nil if there is none.
    func departing(for id: ObjectIdentifier) -> ObjectIdentifier? {
      guard let new = connections[id] else { return nil }
      var shares: [String: Int] = [:]
      for connection in connections.values { shares[connection.peer, default: 0] += 1 }
      func share(_ connection: Connection) -> Int { shares[connection.peer] ?? 0 }
      let others = connections.filter { $0.key != id }
      let idle = others.compactMap { key, one in one.idleSince.map { (key, share(one), UInt64.max - $0) } }
      if let first = idle.max(by: { ($0.1, $0.2) < ($1.1, $1.2) }) { return first.0 }
      return others.filter { share($0.value) > share(new) || $0.value.requests > 1 }.max { one, other in
        (share(one.value), one.value.requests, other.value.since) < (
          share(other.value), other.value.requests, one.value.since
        )
      }?.key
    }
  }

  /// The time that each connection has for its first request.
  private static let moment = TimeAmount.milliseconds(150)
  /// The interval at which accepted connections are waited for.
  private static let beat = TimeAmount.milliseconds(1)

  private let limit: Int
  private let state = Mutex(Contents())

  /// Creates an empty set with a limit.
  package init(_ limit: Int) { self.limit = limit }

  /// Admits a connection that already has its handler (``handler(closesRefused:patience:first:)``).
  ///
  /// - Parameter peer: the peer to count the connection for, e.g. a process; nil for its network address.
  /// - Returns: false if all other connections are busy and none of them may be replaced.
  package func admit(_ channel: any Channel, of peer: String? = nil) -> Bool {
    let (isAdmitted, departing) = state.withLock { state -> (Bool, (any Channel)?) in
      let id = ObjectIdentifier(channel)
      if let peer { state.connections[id]?.peer = peer }
      // a connection that has closed by now needs no place
      guard state.connections[id] != nil, state.connections.count > limit else { return (true, nil) }
      let departing = state.departing(for: id)
      return (departing != nil, state.connections.removeValue(forKey: departing ?? id)?.channel)
    }
    if isAdmitted { departing?.close(promise: nil) }
    return isAdmitted
  }

  /// Returns the time for which no further connection should be accepted; nil if one may be. It gives a connection a moment for
  /// its first request before it can be replaced, so that a crowd that reconnects at once displaces nobody who has just come.
  package func pause() -> TimeAmount? {
    state.withLock { state in
      guard state.connections.count + state.coming.count >= limit else { return nil }
      guard state.coming.isEmpty else { return Self.beat }
      let idle = state.connections.values.filter { $0.idleSince != nil }
      guard !idle.isEmpty, !idle.contains(where: { $0.requests > 0 }), let oldest = idle.map(\.cameAt).min() else {
        return nil
      }
      let left = oldest + Self.moment - .now()
      return left > .zero ? left : nil
    }
  }

  /// Makes the handler of a connection.
  ///
  /// - Parameters:
  ///   - closesRefused: true if the handler itself admits the connection, and closes it if it is refused.
  ///   - patience: the time for each request, and for the peer to read each answer.
  ///   - first: the time for a connection's first request, if it is shorter: a peer that connects has something to ask.
  package func handler(closesRefused: Bool, patience: TimeAmount, first: TimeAmount? = nil) -> Handler {
    Handler(self, closesRefused: closesRefused, patience: patience, first: min(first ?? patience, patience))
  }

  fileprivate func add(_ channel: any Channel) {
    let peer = Self.peer(channel.remoteAddress)
    state.withLock { state in
      let turn = state.nextTurn()
      state.coming.remove(ObjectIdentifier(channel))
      state.connections[ObjectIdentifier(channel)] = Connection(
        channel: channel, peer: peer, since: turn, idleSince: turn)
    }
  }

  fileprivate func remove(_ channel: any Channel) {
    state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(channel)) }
  }

  fileprivate func set(_ channel: any Channel, isBusy: Bool) {
    state.withLock { state in
      let turn = isBusy ? nil : state.nextTurn()
      state.connections[ObjectIdentifier(channel)]?.idleSince = turn
    }
  }

  /// Counts a connection that was accepted, until it has its handler or is closed.
  fileprivate func expect(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    state.withLock { _ = $0.coming.insert(id) }
    channel.closeFuture.whenComplete { [self] _ in state.withLock { _ = $0.coming.remove(id) } }
  }

  fileprivate func countRequest(_ channel: any Channel) {
    state.withLock { $0.connections[ObjectIdentifier(channel)]?.requests += 1 }
  }

  /// Returns the address without the port; for IPv6 its network, because a host has all addresses in it.
  private static func peer(_ address: SocketAddress?) -> String {
    guard let text = address?.ipAddress else { return "" }
    guard case .v6? = address else { return text }
    return network(text)
  }

  /// Returns the first four groups of an IPv6 address, which may leave out groups of zeros (RFC 4291, section 2.2); an address
  /// that stands for an IPv4 address or for this machine stays as it is.
  package static func network(_ address: String) -> String {
    guard !address.hasPrefix("::") else { return address }
    var groups = address.prefix { $0 != "%" }.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    if let gap = groups.firstIndex(of: "") {
      groups.removeSubrange(gap..<(groups.dropFirst(gap).firstIndex { !$0.isEmpty } ?? groups.endIndex))
      groups.insert(contentsOf: [String](repeating: "0", count: max(0, 8 - groups.count)), at: gap)
    }
    return groups.prefix(4).map { group in
      let digits = group.drop { $0 == "0" }
      return digits.isEmpty ? "0" : digits.lowercased()
    }.joined(separator: ":")
  }

  /// Watches one connection: records if it is idle, and closes it if its peer is too slow or demands too much.
  ///
  /// A request has to be complete, and an answer read, within the time allowed. The time runs from the connection's beginning, or from
  /// the answer before, to the end of a request; so it also ends idle connections and those that send a byte now and then. While a
  /// request is being worked on, the time runs only if the peer does not read what was already written.
  ///
  /// A connection that sends a request before the one before it was answered is closed. Browsers, probes and scrapers do not do that,
  /// and one connection could demand as much work as hundreds.
  package final class Handler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let places: ConnectionTable
    private let closesRefused: Bool
    private let patience: TimeAmount
    private let first: TimeAmount
    /// The number of requests that were read completely, minus the answers that were written completely. It is negative for a while
    /// if an answer, such as a 413, comes before the end of its request.
    private var unanswered = 0
    /// True from the head of a request to the end of its answer.
    private var isAsked = false
    private var hasAsked = false
    private var isBusy = false
    private var isAdmitted = false
    private var isClosed = false
    private var deadline: Scheduled<Void>?

    fileprivate init(_ places: ConnectionTable, closesRefused: Bool, patience: TimeAmount, first: TimeAmount) {
      (self.places, self.closesRefused, self.patience, self.first) = (places, closesRefused, patience, first)
    }

    package func handlerAdded(context: ChannelHandlerContext) {
      places.add(context.channel)
      arm(context)
      if context.channel.isActive { askForPlace(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
      askForPlace(context)
      context.fireChannelActive()
    }

    package func channelInactive(context: ChannelHandlerContext) {
      places.remove(context.channel)
      context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
      places.remove(context.channel)
      deadline?.cancel()
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
      reportBusy(context)
      if !context.channel.isWritable {
        arm(context)
      } else if unanswered > 0 {
        deadline?.cancel()
      }
      context.fireChannelWritabilityChanged()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isClosed else { return }
      switch unwrapInboundIn(data) {
      case .head:
        guard !isAsked else {
          isClosed = true
          return context.close(promise: nil)
        }
        isAsked = true
      case .body: break
      case .end:
        hasAsked = true
        unanswered += 1
        places.countRequest(context.channel)
        reportBusy(context)
        if unanswered > 0, context.channel.isWritable { deadline?.cancel() }
      }
      context.fireChannelRead(data)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .end = unwrapOutboundIn(data) {
        isAsked = false
        unanswered -= 1
        reportBusy(context)
        if unanswered == 0 { arm(context) }
      }
      context.write(data, promise: promise)
    }

    private func arm(_ context: ChannelHandlerContext) {
      deadline?.cancel()
      let channel = context.channel
      deadline = context.eventLoop.scheduleTask(in: hasAsked ? patience : first) { channel.close(promise: nil) }
    }

    private func askForPlace(_ context: ChannelHandlerContext) {
      guard closesRefused, !isAdmitted else { return }
      isAdmitted = true
      if !places.admit(context.channel) { context.close(promise: nil) }
    }

    private func reportBusy(_ context: ChannelHandlerContext) {
      let isBusy = unanswered > 0 && context.channel.isWritable
      guard isBusy != self.isBusy else { return }
      self.isBusy = isBusy
      places.set(context.channel, isBusy: isBusy)
    }
  }
}

/// Makes a server accept only as many connections as ``ConnectionTable/pause()`` allows. Others wait in the kernel's queue.
final class AcceptPace: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = any Channel
  typealias OutboundOut = any Channel

  private let places: ConnectionTable
  private var isWaiting = false

  init(_ places: ConnectionTable) { self.places = places }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    places.expect(unwrapInboundIn(data))
    context.fireChannelRead(data)
  }

  func read(context: ChannelHandlerContext) {
    guard !isWaiting else { return }
    guard let pause = places.pause() else { return context.read() }
    isWaiting = true
    let channel = context.channel
    let goOn = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: pause) {
      goOn.value.isWaiting = false
      channel.read()
    }
  }
}
