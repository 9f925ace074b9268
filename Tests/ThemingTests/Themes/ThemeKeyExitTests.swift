#if os(Linux) || os(macOS)
import TestSupport
import Testing
import Theming

extension ThemeKeyTests {
  @Test("An empty name traps with a message that names the mistake and the remedy")
  func emptyName() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = ThemeKey<Int>("", default: 1)
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("The name of a ThemeKey<Int> is empty"))
    #expect(message.contains("Give it a string such as \"color.accent\""))
    #expect(message.contains("ThemingTests/ThemeKeyExitTests.swift:"))
  }
}
#endif
