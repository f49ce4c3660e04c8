import NIOCore
import NIOHTTPTypes

/// Has a connection that is new when the server stops answered all the same: its first request may still come, for a moment.
///
/// It was taken from the socket's queue, so no later life of the daemon serves it. Closed before it has asked anything it would
/// look to its caller as if there were no daemon (libcurl: connection refused), while systemd holds the socket for all others.
final class FirstRequest: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  private let allowed: TimeAmount
  private var hasCome = false
  private var deadline: Scheduled<Void>?

  init(_ allowed: TimeAmount) { self.allowed = allowed }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let isFirst = !hasCome
    hasCome = true
    context.fireChannelRead(data)
    guard isFirst, let deadline else { return }
    deadline.cancel()
    context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is ChannelShouldQuiesceEvent, !hasCome else { return context.fireUserInboundEventTriggered(event) }
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: allowed) { channel.close(promise: nil) }
  }
}
