import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Limits the time that a client may take for a request and for a stop, and closes the connection after a body that
/// is too large.
///
/// Without a limit, a client that sends half a request keeps its connection. A refused body (413) is not read to its
/// end: the rest is discarded for a short time, so that a client that sends before it reads gets the answer, and then
/// the connection closes.
///
/// A graceful shutdown waits for the requests and responses of all connections. It closes one without a request at
/// once, and this handler one that makes no progress for a second: nothing arrives of a request that has begun, or the
/// socket takes nothing of a response that waits for it. A client that goes on keeps its connection for as long as the
/// application permits. One that reads slowly goes on only if it makes room in the socket's buffer within the second:
/// the system says so when about a third of that is free, 33 KB of 100 KB.
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

  /// What a connection has done so far: during a stop, one that does not change is closed.
  private struct Progress: Equatable {
    /// The number of parts of requests that have arrived.
    var arrived = 0
    /// The number of parts of responses that were written.
    var written = 0
    /// The number of bytes that wait for the client to take them.
    var waiting = 0
  }

  /// The time from the end of a response to the next request.
  private static let idleTime = TimeAmount.seconds(30)
  /// The time for which the rest of a refused body is discarded.
  private static let discardingTime = TimeAmount.seconds(1)
  /// The time without progress after which a stop closes a connection: longer than a slow reader needs for a third of
  /// the socket's buffer, as less is not seen here, and much shorter than the time of the program's stop.
  private static let stallTime = TimeAmount.seconds(1)

  private let requestTime: TimeAmount
  private var state = State.waiting
  /// The number of requests that have begun and whose response has not ended: several, if a client sends ahead.
  private var responsesDue = 0
  /// Whether the head of the oldest of these responses was sent.
  private var hasBegunResponse = false
  private var isRefused = false
  private var timer: Scheduled<Void>?
  /// Checks the progress of the connection during a stop.
  private var stopTimer: Scheduled<Void>?
  private var progress = Progress()

  /// Creates the limits of one connection.
  ///
  /// - Parameter requestTime: The time from the connection to the first request, and from the head of a request to
  ///   its end.
  init(requestTime: TimeAmount) { self.requestTime = requestTime }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { start(requestTime, context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { cancelTimers() }

  func channelActive(context: ChannelHandlerContext) {
    start(requestTime, context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancelTimers()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if state == .closing { return }
    progress.arrived += 1
    switch unwrapInboundIn(data) {
    case .head:
      state = .receiving
      responsesDue += 1
      start(requestTime, context)
    case .body: break
    case .end:
      state = .answering
      timer?.cancel()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    progress.written += 1
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
      (responsesDue, hasBegunResponse) = (responsesDue - 1, false)
      if state == .answering, responsesDue == 0 {
        state = .waiting
        start(Self.idleTime, context)
      }
    }
    context.write(data, promise: promise)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent, stopTimer == nil {
      checkLater(context)
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func cancelTimers() {
    timer?.cancel()
    stopTimer?.cancel()
  }

  /// Closes the connection a moment later, if its client is awaited and nothing has happened meanwhile; otherwise
  /// checks again.
  private func checkLater(_ context: ChannelHandlerContext) {
    progress.waiting = waitingBytes(context)
    stopTimer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.stallTime) { [progress] in
      self.progress.waiting = self.waitingBytes(context)
      let isAwaited = self.state == .receiving || self.progress.waiting > 0
      if isAwaited, self.progress == progress {
        self.end(context, .serviceUnavailable)
      } else {
        self.checkLater(context)
      }
    }
  }

  private func waitingBytes(_ context: ChannelHandlerContext) -> Int {
    // A socket has this option, which may be read on its event loop.
    (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  /// Starts the time after which the connection closes, instead of the former one.
  private func start(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
      self.end(context, .requestTimeout)
    }
  }

  /// Closes the connection; a request that has begun gets an answer first.
  private func end(_ context: ChannelHandlerContext, _ status: HTTPResponse.Status) {
    if state == .receiving, responsesDue == 1, !hasBegunResponse {
      let fields: HTTPFields = [.connection: "close", .contentLength: "0"]
      let head = HTTPResponse(status: status, headerFields: fields)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
    state = .closing
    context.close(promise: nil)
  }
}
