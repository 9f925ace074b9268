import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Limits the time that a client may take for a request, and closes the connection after a body that is too large.
///
/// Without a limit, a client that sends half a request keeps its connection, and a graceful shutdown waits for it.
/// A refused body (413) is not read to its end: the rest is discarded for a short time, so that a client that sends
/// before it reads gets the answer, and then the connection closes.
///
/// ## Thread safety
///
/// Used by the event loop of its connection.
final class RequestLimits: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private enum State {
    /// No part of a request has arrived.
    case waiting
    /// The head of a request has arrived, but not its end.
    case receiving
    /// The request is complete; the response may take any time.
    case answering
    /// The rest of a body is discarded until the connection closes.
    case closing
  }

  /// The time from the end of a response to the next request.
  private static let idleTime = TimeAmount.seconds(30)
  /// The time for which the rest of a refused body is discarded.
  private static let discardingTime = TimeAmount.seconds(1)

  private let requestTime: TimeAmount
  private var state = State.waiting
  private var hasBegunResponse = false
  private var isRefused = false
  private var timer: Scheduled<Void>?

  /// Creates the limits of one connection.
  ///
  /// - Parameter requestTime: The time from the connection to the first request, and from the head of a request to
  ///   its end.
  init(requestTime: TimeAmount) { self.requestTime = requestTime }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { start(requestTime, context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelActive(context: ChannelHandlerContext) {
    start(requestTime, context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if state == .closing { return }
    switch unwrapInboundIn(data) {
    case .head:
      (state, hasBegunResponse) = (.receiving, false)
      start(requestTime, context)
    case .body: break
    case .end:
      state = .answering
      timer?.cancel()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      hasBegunResponse = true
      guard head.status == .contentTooLarge else { break }
      isRefused = true
      head.headerFields[.connection] = "close"
      return context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: break
    case .end where isRefused:
      context.writeAndFlush(data, promise: promise)
      state = .closing
      context.close(mode: .output, promise: nil)
      return start(Self.discardingTime, context)
    case .end:
      if state == .answering {
        state = .waiting
        start(Self.idleTime, context)
      }
    }
    context.write(data, promise: promise)
  }

  /// Starts the time after which the connection closes, instead of the former one.
  private func start(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { self.end(context) }
  }

  /// Closes the connection; a request that has begun gets an answer first.
  private func end(_ context: ChannelHandlerContext) {
    if state == .receiving, !hasBegunResponse {
      let fields: HTTPFields = [.connection: "close", .contentLength: "0"]
      let head = HTTPResponse(status: .requestTimeout, headerFields: fields)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
    state = .closing
    context.close(promise: nil)
  }
}
