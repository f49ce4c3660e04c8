package import NIOCore
package import NIOHTTPTypes
import Synchronization

/// The connections of a server, up to a limit. When the limit is reached, a new connection replaces the one that has been idle for
/// the longest time. So connections that do nothing keep nobody out: a caller sends its request long before so many others have come.
///
/// A connection is idle unless the server works on a request of its peer and the peer reads the answer. If none is idle, the new
/// connection is closed.
///
/// The server accepts and reads on one thread, so that the request of a new connection is read before many others are accepted.
package final class ConnectionTable: Sendable {
  private struct Connection {
    let channel: any Channel
    /// The number of the event with which it became idle; nil while it is busy.
    var idleSince: UInt64?
  }

  private struct Contents {
    var connections: [ObjectIdentifier: Connection] = [:]
    var turns: UInt64 = 0

    mutating func nextTurn() -> UInt64 {
      turns += 1
      return turns
    }

    /// The connection that a new one replaces; nil if there is none.
    var departing: ObjectIdentifier? {
      connections.compactMap { id, one in one.idleSince.map { (id, $0) } }.min { $0.1 < $1.1 }?.0
    }
  }

  private let limit: Int
  private let state = Mutex(Contents())

  package init(_ limit: Int) { self.limit = limit }

  /// Makes the handler of a connection, which closes it if there is no place for it.
  package func handler(patience: TimeAmount) -> Handler { Handler(self, patience: patience) }

  /// Adds a connection. Returns false if all others are busy.
  fileprivate func admit(_ channel: any Channel) -> Bool {
    let (isAdmitted, departing) = state.withLock { state -> (Bool, (any Channel)?) in
      let departing = state.connections.count < limit ? nil : state.departing
      guard departing != nil || state.connections.count < limit else { return (false, nil) }
      let closed = departing.flatMap { state.connections.removeValue(forKey: $0) }
      state.connections[ObjectIdentifier(channel)] = Connection(channel: channel, idleSince: state.nextTurn())
      return (true, closed?.channel)
    }
    departing?.close(promise: nil)
    return isAdmitted
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
    private let patience: TimeAmount
    /// The number of requests that were read completely, minus the answers that were written completely. It is negative for a while
    /// if an answer, such as a 413, comes before the end of its request.
    private var unanswered = 0
    /// True from the head of a request to the end of its answer.
    private var isAsked = false
    private var isBusy = false
    private var isAdmitted = false
    private var isClosed = false
    private var deadline: Scheduled<Void>?

    fileprivate init(_ places: ConnectionTable, patience: TimeAmount) {
      (self.places, self.patience) = (places, patience)
    }

    package func handlerAdded(context: ChannelHandlerContext) {
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
        unanswered += 1
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
      deadline = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }

    private func askForPlace(_ context: ChannelHandlerContext) {
      guard !isAdmitted else { return }
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
