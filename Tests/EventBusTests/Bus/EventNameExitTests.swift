#if os(macOS) || os(Linux)
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
    #expect(message.localized(contains: "empty"))
    #expect(message.localized(contains: "name"))
  }
}
#endif
