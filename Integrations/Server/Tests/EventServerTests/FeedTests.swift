@testable internal import EventServer
internal import NIOCore
internal import TestKit
internal import Testing

@Suite("The feed of the event server", .timeLimit(.minutes(1)))
struct FeedTests {
  private let feed = Feed(limit: 3)

  private func send(_ numbers: ClosedRange<Int>) {
    for number in numbers { feed.send("counted", Array("\(number)".utf8)) }
  }

  @Test(
    "What waits for a stream goes out in one write, after the number of events that were dropped"
  )
  func oneWrite() async throws {
    let stream = feed.begin(nil)
    send(1...5)
    feed.end(stream)
    let writes = Inbox<String>()
    try await feed.run(stream) { writes.append(String(buffer: $0)) }
    let events = (3...5).map { "id: \($0)\nevent: counted\ndata: \($0)\n\n" }.joined()
    #expect(writes.entries == [": listening\n\n", "event: dropped\ndata: 2\n\n" + events])
    feed.close(stream)
  }

  @Test("Events that arrive during a write wait for the next one, together")
  func duringWrite() async throws {
    let stream = feed.begin("counted")
    let writes = Inbox<String>()
    let (begun, release) = (Inbox<Void>(), Inbox<Void>())
    let task = Task {
      try await feed.run(stream) { buffer in
        writes.append(String(buffer: buffer))
        begun.append(())
        if writes.entries.count == 1 { await release.first(1) }
      }
    }
    await begun.first(1)
    send(1...2)
    feed.send("other", Array("0".utf8))
    release.append(())
    await begun.first(2)
    send(3...3)
    await begun.first(3)
    feed.end(stream)
    try await task.value
    #expect(writes.entries.count == 3)
    #expect(writes.entries[1].contains("data: 1\n") && writes.entries[1].contains("data: 2\n"))
    #expect(!writes.entries[1].contains("other"))
    feed.close(stream)
  }

  @Test("A cancelled stream ends, although nothing waits for it")
  func cancelled() async {
    let stream = feed.begin(nil)
    let begun = Inbox<Void>()
    let task = Task { try await feed.run(stream) { _ in begun.append(()) } }
    await begun.first(1)
    task.cancel()
    _ = await task.result
    feed.close(stream)
  }
}
