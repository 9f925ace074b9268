#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension EventNameTests {
  @Test("An empty name traps with a message that names the caller's line and the remedy")
  func emptyName() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = EventName<Int>("")
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("EventBusTests/EventNameExitTests.swift:"))
    #expect(message.contains("EventBus: The name of an event is empty. Give it a string such as"))
  }

  @Test("A negative replay count traps with a message that names the caller's line and the count")
  func negativeReplay() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = EventName<Int>("exit.negativeReplay", replay: -1)
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("EventBusTests/EventNameExitTests.swift:"))
    #expect(message.contains("\"exit.negativeReplay\" is negative: -1. Use zero or more."))
  }
}
#endif
