#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension EventNameTests {
  @Test("An empty name traps with a message")
  func emptyName() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = EventName<Int>("")
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.lowercased().contains("empty"))
    #expect(message.lowercased().contains("name"))
  }
}
#endif
