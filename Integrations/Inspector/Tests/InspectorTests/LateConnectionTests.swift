import NIOCore
import NIOEmbedded
import Testing

@testable import Inspector

@Suite("A connection at the end of the program")
struct LateConnectionTests {
  private func connection() throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: LateConnection())
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    return channel
  }

  @Test("One that is still open a moment after the stop is closed, and none before")
  func late() throws {
    let channel = try connection()
    channel.embeddedEventLoop.advanceTime(by: .hours(24))
    #expect(channel.isActive)
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test("One that has closed before is not touched")
  func closed() throws {
    let channel = try connection()
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    try channel.close().wait()
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }
}
