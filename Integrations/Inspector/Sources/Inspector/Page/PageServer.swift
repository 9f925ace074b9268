internal import HTTPTypes
internal import Hummingbird
internal import LaunchLoader
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization
internal import _EventBusLocks

/// Serves the page and its stream on the loopback interface, under a random path.
struct PageServer: Sendable {
  /// The maximum number of pages that may be open.
  private static let streamLimit = 16

  private let model: InspectorModel
  private let port: Int
  private let token = Page.randomToken()
  private let onServing: @Sendable (String) -> Void
  private let streams = OpenStreams(limit: Self.streamLimit)

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - model: What to show.
  ///   - port: The port; zero lets the system choose.
  ///   - onServing: Called with the address of the page.
  init(_ model: InspectorModel, port: Int, onServing: @escaping @Sendable (String) -> Void) {
    (self.model, self.port, self.onServing) = (model, port, onServing)
  }

  /// Serves until a service is asked to stop.
  func run(until context: AppServiceContext) async throws {
    var logger = Logger(label: "inspector") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    let (onServing, token) = (onServing, token)
    let server = Application(
      router: router,
      server: .http1(configuration: .init(additionalChannelHandlers: [LateConnection()])),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        onServing("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/\(token)/")
      },
      logger: logger
    )
    let services = ServiceGroup(services: [server], logger: logger)
    do {
      try await withThrowingTaskGroup { group in
        group.addTask { try await services.run() }
        group.addTask { [streams] in
          try await context.waitUntilShutdown()
          // Streams end like other responses; a client that reads nothing, or has sent half a request, loses its
          // connection a moment later.
          streams.end()
          // Orderly: NIO traps if a connection arrives while the server is cancelled.
          await services.triggerGracefulShutdown()
          try await Task.sleep(for: .seconds(1))
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch is CancellationError where context.isShuttingDown && !Task.isCancelled {
    } catch {
      // A cancelled server reports that it has ended too early.
      if Task.isCancelled { throw CancellationError() }
      throw error
    }
  }

  private var router: Router<BasicRequestContext> {
    let router = Router()
    let (model, token, streams) = (model, token, streams)
    // Everything else is not found, even the path without the slash, whose page would not find its stream.
    router.get("\(token)/") { request, _ in
      try Self.checkHost(of: request)
      guard request.uri.path.hasSuffix("/") else { throw HTTPError(.notFound) }
      let nonce = Page.randomToken()
      return Self.response(
        "text/html; charset=utf-8",
        policy: Page.policy(nonce, server: true),
        ResponseBody(byteBuffer: ByteBuffer(string: Page.live(nonce: nonce)))
      )
    }
    router.get("\(token)/stream") { request, _ in
      try Self.checkHost(of: request)
      guard let stream = streams.open() else { throw HTTPError(.serviceUnavailable) }
      return Self.response(
        "text/event-stream",
        ResponseBody { writer in
          defer { stream.close() }
          var feed = PageFeed(model)
          while !streams.isEnding {
            if let text = feed.next() { try await writer.write(ByteBuffer(string: text)) }
            if !feed.hasMore { try await Task.sleep(for: .milliseconds(30)) }
          }
          try await writer.finish(nil)
        }
      )
    }
    return router
  }

  /// Refuses a request for another host than the loopback interface.
  ///
  /// A page of another site whose name leads to this machine (DNS rebinding) asks with the name of that site.
  private static func checkHost(of request: Request) throws {
    let authority = request.head.authority ?? ""
    let isAddress = authority.hasPrefix("[")
    let host = isAddress ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
    guard ["127.0.0.1", "localhost", "[::1]"].contains(host.lowercased()) else {
      throw HTTPError(.misdirectedRequest, message: "This page is for this machine only.")
    }
  }

  private static func response(
    _ type: String,
    policy: String = "default-src 'none'",
    _ body: ResponseBody
  ) -> Response {
    var headers: HTTPFields = [
      .contentType: type, .cacheControl: "no-store", .contentSecurityPolicy: policy,
      .xContentTypeOptions: "nosniff",
    ]
    // The address of the page is a secret.
    if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
    return Response(status: .ok, headers: headers, body: body)
  }
}

/// Counts the open streams, and ends them.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
private final class OpenStreams: Sendable {
  /// One of them; also closed when it is released, since the body of a response may never be asked for.
  final class Stream: Sendable {
    private let all: OpenStreams
    private let isOpen = Atomic<Bool>(true)

    fileprivate init(_ all: OpenStreams) { self.all = all }

    deinit { close() }

    func close() {
      guard isOpen.exchange(false, ordering: .relaxed) else { return }
      all.state.withLock { $0.count -= 1 }
    }
  }

  private struct State {
    var count = 0
    var isEnding = false
  }

  private let limit: Int
  private let state = Locked(State())

  init(limit: Int) { self.limit = limit }

  /// True if streams must end.
  var isEnding: Bool { state.withLock { $0.isEnding } }

  /// Opens a stream; `nil` if there are too many.
  func open() -> Stream? {
    state.withLock { state in
      guard state.count < limit, !state.isEnding else { return nil }
      state.count += 1
      return Stream(self)
    }
  }

  /// Ends all streams soon.
  func end() { state.withLock { $0.isEnding = true } }
}
