import NIOCore
import NIOHTTPTypes

/// Closes a connection that sends a request before the one before it was answered. Browsers, probes and scrapers do not do that, and with it
/// one connection could ask for as much work as hundreds.
final class OneRequestAtATime: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private var isAsked = false
  private var isClosed = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosed else { return }
    if case .head = unwrapInboundIn(data) {
      guard !isAsked else {
        isClosed = true
        return context.close(promise: nil)
      }
      isAsked = true
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { isAsked = false }
    context.write(data, promise: promise)
  }
}
