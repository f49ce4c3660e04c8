package import NIOCore
package import NIOHTTPTypes

/// Closes a connection whose peer is too slow: a request has to be complete, and an answer read, within the time allowed.
///
/// The time runs from the connection's beginning, or from the answer before, to the end of a request; so it also ends idle
/// connections and those that send a byte now and then. While a request is being worked on, the time runs only if the peer does
/// not read what was already written.
package final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  private let allowed: TimeAmount
  /// The time for the first request.
  private let first: TimeAmount
  private var hasAsked = false
  /// The number of requests that were read completely, minus the answers that were written completely. It is negative for a while
  /// if an answer, such as a 413, comes before the end of its request.
  private var unanswered = 0
  private var deadline: Scheduled<Void>?

  /// - Parameters:
  ///   - allowed: the time for each request, and for the peer to read each answer.
  ///   - first: the time for a connection's first request, if it is shorter: a peer that connects has something to ask.
  package init(_ allowed: TimeAmount, first: TimeAmount? = nil) {
    self.allowed = allowed
    self.first = min(first ?? allowed, allowed)
  }

  package func handlerAdded(context: ChannelHandlerContext) { arm(context) }

  package func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    if !context.channel.isWritable {
      arm(context)
    } else if unanswered > 0 {
      deadline?.cancel()
    }
    context.fireChannelWritabilityChanged()
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end = unwrapInboundIn(data) {
      hasAsked = true
      unanswered += 1
      if unanswered > 0, context.channel.isWritable { deadline?.cancel() }
    }
    context.fireChannelRead(data)
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      unanswered -= 1
      if unanswered == 0 { arm(context) }
    }
    context.write(data, promise: promise)
  }

  private func arm(_ context: ChannelHandlerContext) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: hasAsked ? allowed : first) { channel.close(promise: nil) }
  }
}
