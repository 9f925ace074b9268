internal import Foundation
internal import NIOCore
internal import TestKit
internal import Testing

@Suite("The event server under load", .serialized, .timeLimit(.minutes(10)))
struct LoadTests {
  /// The number of events; a command may set it, together with a program that is built for release:
  /// `EVENTS=10000 EVENT_SERVER=.build/release/EventServer swift test --filter LoadTests`.
  private let count =
    ProcessInfo.processInfo.environment["EVENTS"].flatMap { Int($0) } ?? Self.usualCount

  #if DEBUG
  /// Without optimization a thousand events take more than a minute.
  private static let usualCount = 100
  #else
  private static let usualCount = 1_000
  #endif

  private let streamCount = 200

  @Test("200 streams receive every event that is posted meanwhile, in one order")
  func load() async throws {
    let server = try await RunningServer("--buffer=\(count + 1)")
    let received = try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
      let open = Inbox<Void>()
      for _ in 0..<streamCount {
        group.addTask {
          let stream = try await server.stream()
          open.append(())
          try await stream.read { $0.contains("the end") && $0.hasSuffix("\n\n") }
          return stream.bytes
        }
      }
      await open.first(streamCount)
      let start = ContinuousClock.now
      try await post(to: server)
      try await server.post("message.sent", #"{"room": "a", "text": "the end"}"#)
      var first: ByteBuffer?
      var equal = 0
      for try await bytes in group {
        first = first ?? bytes
        if bytes == first { equal += 1 }
      }
      let time = ContinuousClock.now - start
      print("\(count) events to \(streamCount) streams in \(time)")
      #expect(equal == streamCount)
      return first
    }
    let reader = EventReader(bytes: try #require(received))
    let events = reader.events
    #expect(events.compactMap(\.id) == Array(1...(count + 1)))
    #expect(events.dropLast().compactMap { Int($0.data) }.sorted() == Array(0..<count))
    #expect(try await server.metric("server_stream_drops") ?? 0 == 0)
    let writes = try #require(try await server.metric("server_stream_writes"))
    print("\(Int(writes)) writes for \((count + 1) * streamCount) events")
    // The events that wait for a stream go out in one write: never more writes than events, and fewer under load.
    #expect(writes < Double((count + 1) * streamCount))
    #expect(try await server.stop() == 0)
  }

  /// Posts the numbers by four clients, each in order.
  private func post(to server: RunningServer) async throws {
    try await withThrowingTaskGroup { group in
      for client in 0..<4 {
        group.addTask {
          for number in stride(from: client, to: count, by: 4) {
            try await server.post("counted", "\(number)")
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
