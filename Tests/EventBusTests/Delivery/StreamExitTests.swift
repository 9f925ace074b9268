#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension StreamTests {
  @Test("A size below one is reported on one line with its source site, and one event is kept")
  func sizeBelowOne() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let bus = EventBus()
      let stream = bus.events(
        .number,
        buffering: .bufferingNewest(0),
        fileID: "Sample/Here.swift",
        line: 42
      )
      bus.post(.number, 1)
      bus.post(.number, 2)
      var events = stream.makeAsyncIterator()
      let first = await events.next()
      precondition(first == 2)
      precondition(stream.droppedCount == 1)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.split(separator: "\n").count { $0.contains("Sample/Here.swift:42") } == 1)
  }
}
#endif
