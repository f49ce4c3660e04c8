import NIOCore
import NIOHTTPTypes

/// Keeps a new connection open for a moment when the server stops, so that its first request is still answered.
///
/// The connection was accepted from the socket's queue, so the next start of the daemon does not serve it. If it were closed
/// before its first request, its caller would take the daemon for dead (libcurl: connection refused), while systemd keeps the
/// socket open for all other callers.
///
/// Only a connection that is ``Served`` is kept open. A connection that nobody serves, because the listener has closed, must
/// close at once: NIO ends the process if a channel is deinitialized while it is open.
final class FirstRequest: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The event that a task serves the connection's requests until it is closed.
  struct Served {}

  private let allowed: TimeAmount
  private var hasCome = false
  private var isServed = false
  private var deadline: Scheduled<Void>?

  init(_ allowed: TimeAmount) { self.allowed = allowed }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard event is Served else { return context.triggerUserOutboundEvent(event, promise: promise) }
    isServed = true
    promise?.succeed()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let isFirst = !hasCome
    hasCome = true
    context.fireChannelRead(data)
    guard isFirst, let deadline else { return }
    deadline.cancel()
    context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is ChannelShouldQuiesceEvent, isServed, !hasCome else {
      return context.fireUserInboundEventTriggered(event)
    }
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: allowed) { channel.close(promise: nil) }
  }
}
