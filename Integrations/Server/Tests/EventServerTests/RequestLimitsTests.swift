@testable internal import EventServer
internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOEmbedded
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1
internal import Testing

@Suite("The limits of a connection during a stop")
struct RequestLimitsTests {
  private static let get = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"
  private static let post = "POST /events/counted HTTP/1.1\r\nHost: x\r\n"

  /// A connection with the handlers of the server, whose client has sent a text.
  private func connection(_ text: String) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    let pipeline = channel.pipeline.syncOperations
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false,
      withErrorHandling: false
    )
    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
    try pipeline.addHandler(RequestLimits(requestTime: .hours(1)))
    try pipeline.addHandler(
      HTTPConnectionStateHandler(logger: Logger(label: "") { _ in SwiftLogNoOpLogHandler() })
    )
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    try channel.writeInbound(ByteBuffer(string: text))
    return channel
  }

  private func stop(_ channel: EmbeddedChannel) {
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }

  /// The text that the client has received since the last call.
  private func received(_ channel: EmbeddedChannel) throws -> String {
    var text = ""
    while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
      text += String(buffer: bytes)
    }
    return text
  }

  @Test(
    "A connection without a request closes at once",
    arguments: ["", "GET /hea", "GET / HTTP/1.1\r\nHo"]
  )
  func idle(_ text: String) throws {
    let channel = try connection(text)
    stop(channel)
    #expect(!channel.isActive)
  }

  @Test(
    "A request whose rest does not come is answered with 503 after a moment, and its connection closes",
    arguments: [
      "Content-Length: 2\r\n\r\n", "Content-Length: 2\r\n\r\n1",
      "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\n1",
    ]
  )
  func half(_ rest: String) throws {
    let channel = try connection(Self.post + rest)
    stop(channel)
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
    #expect(try received(channel).hasPrefix("HTTP/1.1 503"))
  }

  @Test("A request that goes on arriving is served")
  func arriving() throws {
    let channel = try connection(Self.post + "Content-Length: 10\r\n\r\n1")
    stop(channel)
    for _ in 0..<8 {
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(200))
      try channel.writeInbound(ByteBuffer(string: "1"))
    }
    #expect(channel.isActive)
    try channel.writeInbound(ByteBuffer(string: "1"))
    channel.embeddedEventLoop.advanceTime(by: .seconds(10))
    #expect(channel.isActive)
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    #expect(!channel.isActive)
    #expect(try received(channel).hasPrefix("HTTP/1.1 200"))
  }

  @Test(
    "A response of which the client takes nothing ends with its connection, without another answer"
  )
  func silent() throws {
    let channel = try connection(Self.get)
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    channel.write(HTTPResponsePart.body(ByteBuffer(string: "waits")), promise: nil)
    // Not before the stop, however long it takes.
    channel.embeddedEventLoop.advanceTime(by: .hours(2))
    #expect(channel.isActive)
    stop(channel)
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
    #expect(try !received(channel).contains("503"))
  }

  @Test(
    "A response that a slow client goes on taking is not cut off, nor one that the server has yet to write"
  )
  func slow() throws {
    let channel = try connection(Self.get)
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    stop(channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(10))
    for number in 0..<8 {
      channel.write(HTTPResponsePart.body(ByteBuffer(string: "\(number)")), promise: nil)
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(200))
      channel.flush()
    }
    #expect(channel.isActive)
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    #expect(!channel.isActive)
  }

  @Test(
    "A slow reader, of whose progress the system tells nothing for most of a second, is not cut off"
  )
  func slowReader() throws {
    let channel = try connection(Self.get)
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    stop(channel)
    for number in 0..<8 {
      channel.write(HTTPResponsePart.body(ByteBuffer(string: "\(number)")), promise: nil)
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(900))
      channel.flush()
    }
    #expect(channel.isActive)
    // The time begins with the last progress that was seen.
    channel.write(HTTPResponsePart.body(ByteBuffer(string: "waits")), promise: nil)
    channel.embeddedEventLoop.advanceTime(by: .seconds(2))
    #expect(!channel.isActive)
  }

  @Test("Half a request behind a stream does not put an answer into the stream")
  func behind() throws {
    let channel = try connection(Self.get + Self.post + "Content-Length: 2\r\n\r\n1")
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    stop(channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
    #expect(try !received(channel).contains("503"))
  }

  @Test("The idle time begins after the response to the last request that a client has sent ahead")
  func ahead() throws {
    let channel = try connection(Self.get + Self.get)
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    channel.embeddedEventLoop.advanceTime(by: .minutes(1))
    #expect(!channel.isActive)
  }
}
