internal import NIOCore

/// Closes a connection that is still open a moment after the server was asked to stop.
///
/// By then a stream has ended, and every other response is complete: the client has sent half a request, or takes
/// nothing of what waits for it. The server would wait for both.
///
/// ## Thread safety
///
/// Used by the event loop of its connection.
final class LateConnection: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// The time in which streams and responses end.
  static let closingTime = TimeAmount.milliseconds(250)

  private var timer: Scheduled<Void>?

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent, timer == nil {
      timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closingTime) {
        context.close(promise: nil)
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }
}
