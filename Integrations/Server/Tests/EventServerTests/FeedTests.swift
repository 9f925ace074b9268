internal import EventBus
@testable internal import EventServer
internal import NIOCore
internal import TestKit
internal import Testing

@Suite("The feed of the event server", .timeLimit(.minutes(1)))
struct FeedTests {
  private let metrics = MetricsPage()
  private let feed: Feed
  private let lifetime = Lifetime()
  private let writes = Inbox<String>()
  private let begun = Inbox<Void>()
  /// The first write returns once this has an entry.
  private let release = Inbox<Void>()

  init() { feed = Feed(limit: 3, factory: metrics) }

  private func send(_ numbers: ClosedRange<Int>) async {
    for number in numbers { await feed.send("counted", Array("\(number)".utf8)) }
  }

  /// Runs a stream, and returns when its first write has begun.
  private func open(_ name: String?) async -> Task<Void, any Error> {
    let (feed, lifetime) = (feed, lifetime)
    let (writes, begun, release) = (writes, begun, release)
    let task = Task {
      try await feed.run(name, until: lifetime) { buffer in
        writes.append(String(buffer: buffer))
        begun.append(())
        if writes.entries.count == 1 { await release.first(1) }
      }
    }
    await begun.first(1)
    return task
  }

  @Test(
    "Events that wait for a stream are sent in one write, after the number of dropped events"
  )
  func oneWrite() async throws {
    let stream = await open(nil)
    await send(1...5)
    lifetime.end()
    release.append(())
    try await stream.value
    let events = (3...5).map { "id: \($0)\nevent: counted\ndata: \($0)\n\n" }.joined()
    #expect(writes.entries == [": listening\n\n", "event: dropped\ndata: 2\n\n" + events])
  }

  @Test("Dropped events are counted while the client is blocked, and once")
  func countsDrops() async throws {
    let stream = await open(nil)
    await send(1...5)
    #expect(metrics.text.contains("\nserver_stream_drops 2\n"))
    await send(6...6)
    #expect(metrics.text.contains("\nserver_stream_drops 3\n"))
    lifetime.end()
    release.append(())
    try await stream.value
    #expect(metrics.text.contains("\nserver_stream_drops 3\n"))
    #expect(writes.entries[1].hasPrefix("event: dropped\ndata: 3\n\n"))
  }

  @Test("A stream that has ended, by an error or not, is counted no longer")
  func counts() async throws {
    let stream = await open(nil)
    #expect(metrics.text.contains("\nserver_streams 1.0\n"))
    lifetime.end()
    release.append(())
    try await stream.value
    #expect(metrics.text.contains("\nserver_streams 0.0\n"))
    let broken = Task { [feed] in
      try await feed.run(nil, until: Lifetime()) { _ in throw ChannelError.ioOnClosedChannel }
    }
    await #expect(throws: ChannelError.self) { try await broken.value }
    #expect(metrics.text.contains("\nserver_streams 0.0\n"))
  }

  @Test("Events that arrive during a write wait for the next one, together")
  func duringWrite() async throws {
    let stream = await open("counted")
    await send(1...2)
    await feed.send("other", Array("0".utf8))
    release.append(())
    await begun.first(2)
    await send(3...3)
    await begun.first(3)
    lifetime.end()
    try await stream.value
    #expect(writes.entries.count == 3)
    #expect(writes.entries[1].contains("data: 1\n") && writes.entries[1].contains("data: 2\n"))
    #expect(!writes.entries[1].contains("other"))
  }

  @Test("A cancelled stream ends, although nothing waits for it")
  func cancelled() async {
    let stream = await open(nil)
    release.append(())
    stream.cancel()
    _ = await stream.result
  }

  @Test("All streams have one order, even if several tasks send")
  func order() async throws {
    let feed = Feed(limit: 1_000)
    let lifetime = Lifetime()
    let streams = (0..<3).map { _ in feed.stream(nil, until: lifetime) }
    await withTaskGroup { group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<50 {
            await feed.send("counted", Array("\(task) \(number)".utf8))
          }
        }
      }
    }
    lifetime.end()
    var heard: [[String]] = []
    for stream in streams {
      heard.append(await stream.reduce(into: []) { $0.append(String(buffer: $1.text)) })
    }
    #expect(heard[0].count == 200)
    #expect(heard.allSatisfy { $0 == heard[0] })
  }
}
