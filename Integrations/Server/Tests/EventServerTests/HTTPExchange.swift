internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import _EventBusLocks

/// A request on its own connection, whose response is read no faster than the test asks for it.
///
/// The connection is closed when the object is released.
final class HTTPExchange: Sendable {
  /// A connection that ended before its response.
  struct Interrupted: Error {}

  private let channel: any Channel
  private let response: ResponseHandler
  /// The status code.
  let status: Int

  /// Sends a request and waits for the head of the response.
  init(_ address: String, method: HTTPMethod = .GET, body: String = "") async throws {
    guard let url = URL(string: address), let host = url.host(), let port = url.port else {
      throw URLError(.badURL)
    }
    let response = ResponseHandler()
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelOption(.autoRead, value: false)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandler(response)
        }
      }
      .connect(host: host, port: port).get()
    (self.channel, self.response) = (channel, response)
    let path = url.path().isEmpty ? "/" : url.path()
    var head = HTTPRequestHead(
      version: .http1_1,
      method: method,
      uri: url.query().map { "\(path)?\($0)" } ?? path
    )
    head.headers = ["Host": "\(host):\(port)", "Content-Length": "\(body.utf8.count)"]
    channel.write(HTTPClientRequestPart.head(head), promise: nil)
    channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(string: body))), promise: nil)
    // The server may respond, and close the connection, before everything has been sent.
    channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    do {
      guard case .head(let head) = try await response.next(channel) else { throw Interrupted() }
      status = Int(head.status.code)
    } catch {
      channel.close(promise: nil)
      throw error
    }
  }

  deinit { channel.close(promise: nil) }

  /// The next bytes of the body; `nil` at its end.
  func next() async throws -> ByteBuffer? {
    switch try await response.next(channel) {
    case .body(let bytes): bytes
    case .head, .end: nil
    }
  }

  /// The rest of the body.
  func text() async throws -> String {
    var all = ByteBuffer()
    while let bytes = try await next() { all.writeImmutableBuffer(bytes) }
    return String(buffer: all)
  }
}

/// Keeps the parts of a response until they are taken.
private final class ResponseHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = HTTPClientResponsePart

  private struct State {
    var parts: [HTTPClientResponsePart] = []
    /// The error after the last part.
    var ending: (any Error)?
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Locked(State())

  /// Takes the next part, for which the connection is read if necessary.
  func next(_ channel: any Channel) async throws -> HTTPClientResponsePart {
    while true {
      let part = try state.withLock { state in
        if state.parts.isEmpty, let ending = state.ending { throw ending }
        return state.parts.isEmpty ? nil : state.parts.removeFirst()
      }
      if let part { return part }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isThere = state.withLock { state in
            if !state.parts.isEmpty || state.ending != nil { return true }
            state.waiter = continuation
            return false
          }
          if isThere { continuation.resume() } else { channel.read() }
        }
      } onCancel: {
        channel.close(promise: nil)
      }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let waiter = state.withLock { state in
      body(&state)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    change { $0.parts.append(part) }
  }

  /// Reads on for a task that waits: a read may bring no whole part.
  func channelReadComplete(context: ChannelHandlerContext) {
    if state.withLock({ $0.waiter != nil }) { context.read() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    change { $0.ending = $0.ending ?? error }
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    change { $0.ending = $0.ending ?? HTTPExchange.Interrupted() }
  }
}
