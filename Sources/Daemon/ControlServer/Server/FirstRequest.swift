import NIOCore
import NIOHTTPTypes

/// Has a connection that is new when the server stops answered all the same: its first request may still come, for a moment.
///
/// It was taken from the socket's queue, so no later life of the daemon serves it. Closed before it has asked anything it would
/// look to its caller as if there were no daemon (libcurl: connection refused), while systemd holds the socket for all others.
///
/// Only one that is ``Served`` is held open. Those that nobody takes any more, because the listener has closed, have to close at
/// once: NIO ends the process where a channel is let go while it is open.
final class FirstRequest: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Says that somebody reads the connection's requests, until it is closed.
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
