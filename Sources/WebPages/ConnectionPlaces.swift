package import NIOCore
package import NIOHTTPTypes
import Synchronization

/// The places for connections of a server. If all are taken, the connection that has been idle for the longest time makes way
/// for a new one: whoever opens many and says nothing keeps nobody else out.
///
/// A connection is idle unless the server works on a request of its peer and the peer takes what it is answered.
package final class ConnectionPlaces: Sendable {
  private struct Connection {
    var channel: any Channel
    /// The turn at which it became idle; nil while it is busy.
    var idleSince: UInt64?
  }

  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var turns: UInt64 = 0

    mutating func nextTurn() -> UInt64 {
      turns += 1
      return turns
    }
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Creates so many places.
  package init(_ limit: Int) { self.limit = limit }

  /// Finds a place for a connection whose handler (``handler(closesRefused:)``) is there already.
  ///
  /// - Returns: false if all other places are taken by connections that are busy.
  package func admit(_ channel: any Channel) -> Bool {
    let (isAdmitted, idle) = state.withLock { state -> (Bool, (any Channel)?) in
      let id = ObjectIdentifier(channel)
      // one that has gone by now needs none
      guard state.connections[id] != nil, state.connections.count > limit else { return (true, nil) }
      let longest = state.connections.filter { $0.key != id && $0.value.idleSince != nil }
        .min { $0.value.idleSince ?? 0 < $1.value.idleSince ?? 0 }
      return (longest != nil, state.connections.removeValue(forKey: longest?.key ?? id)?.channel)
    }
    if isAdmitted { idle?.close(promise: nil) }
    return isAdmitted
  }

  /// Makes the handler that tells whether a connection is idle, and that it has gone.
  ///
  /// - Parameter closesRefused: true if the handler itself asks for a place and closes the connection if there is none.
  package func handler(closesRefused: Bool) -> Handler { Handler(self, closesRefused: closesRefused) }

  fileprivate func add(_ channel: any Channel) {
    state.withLock { state in
      let turn = state.nextTurn()
      state.connections[ObjectIdentifier(channel)] = Connection(channel: channel, idleSince: turn)
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

  /// Watches one connection.
  package final class Handler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let places: ConnectionPlaces
    private let closesRefused: Bool
    /// The requests that were read to their end, less the answers that were written to theirs.
    private var unanswered = 0
    private var isBusy = false
    private var isAsked = false

    fileprivate init(_ places: ConnectionPlaces, closesRefused: Bool) {
      self.places = places
      self.closesRefused = closesRefused
    }

    package func handlerAdded(context: ChannelHandlerContext) {
      places.add(context.channel)
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

    package func handlerRemoved(context: ChannelHandlerContext) { places.remove(context.channel) }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
      tell(context)
      context.fireChannelWritabilityChanged()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .end = unwrapInboundIn(data) {
        unanswered += 1
        tell(context)
      }
      context.fireChannelRead(data)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .end = unwrapOutboundIn(data) {
        unanswered -= 1
        tell(context)
      }
      context.write(data, promise: promise)
    }

    private func askForPlace(_ context: ChannelHandlerContext) {
      guard closesRefused, !isAsked else { return }
      isAsked = true
      if !places.admit(context.channel) { context.close(promise: nil) }
    }

    private func tell(_ context: ChannelHandlerContext) {
      let isBusy = unanswered > 0 && context.channel.isWritable
      guard isBusy != self.isBusy else { return }
      self.isBusy = isBusy
      places.set(context.channel, isBusy: isBusy)
    }
  }
}
