#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension SharedValuesTests {
  @Test("Binding, watching and reading the right in an update trap with the property's source site")
  func insideAnUpdate() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let property = SharedObserved(0, fileID: "Sample/Here.swift", line: 12)
      property.update { _ in _ = property.values() }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("the property at Sample/Here.swift:12 was used inside its own update"))
    #expect(text.contains("Work with the value that update hands to its closure"))
  }
}
#endif
