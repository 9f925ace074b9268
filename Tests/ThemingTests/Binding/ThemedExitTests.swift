#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing
import Theming

extension ThemedTests {
  @Test("Using the property off the main actor traps with the property's name")
  func offTheMainActor() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      await Plain.useElsewhere()
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(said.contains("Plain.themeMap"), "\(said)")
    #expect(said.contains("main actor"), "\(said)")
  }
}
#endif
