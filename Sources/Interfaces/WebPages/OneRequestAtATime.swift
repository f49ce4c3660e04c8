package import NIOCore
package import NIOHTTPTypes

/// Closes a connection that sends a request before the one before it was answered. Browsers, probes and scrapers do not do that,
/// and one connection could demand as much work as hundreds.
package final class OneRequestAtATime: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  private var isAsked = false
  private var isClosed = false

  package init() {}

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
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

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { isAsked = false }
    context.write(data, promise: promise)
  }
}
