#if os(Linux) || os(macOS)
import Testing
import Theming

@Suite("Colors that stop the program", .timeLimit(.minutes(5)))
struct RGBAExitTests {
  @Test("A number of more than six digits stops the program, with the caller's line and the remedy")
  func tooLong() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = RGBA(0x1_00_00_00)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      text.contains("The color 0x1000000 has more than six digits") && text.contains("alpha:")
    )
    #expect(text.contains("ThemingTests/RGBAExitTests.swift:"))
  }
}
#endif
